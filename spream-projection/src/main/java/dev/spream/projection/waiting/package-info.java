/**
 * Waiting until a projection has processed an event or a position, so that a reader finds its own writes: start with
 * {@link dev.spream.projection.waiting.ProjectionWaiter}. Depends on projections and events, and not on how projections
 * are run.
 */
@NullMarked
package dev.spream.projection.waiting;

import org.jspecify.annotations.NullMarked;
