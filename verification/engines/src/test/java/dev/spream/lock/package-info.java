/**
 * The lock engine over the store in memory.
 */
@NullMarked
package dev.spream.lock;

import org.jspecify.annotations.NullMarked;
