/**
 * Helpers of event sources over the store in memory.
 */
@NullMarked
package dev.spream.projection.event;

import org.jspecify.annotations.NullMarked;
