/**
 * Dead letters: the sinks and stores that the core brings, and replaying them.
 */
@NullMarked
package dev.spream.core.consume;

import org.jspecify.annotations.NullMarked;
