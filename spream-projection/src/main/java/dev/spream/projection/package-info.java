/**
 * Projections: read models that follow events. Each has its own cursor and its own state; the effect of an event, what is
 * remembered of its aggregate, and the cursor are written in one transaction of the read model's database, so that every
 * event counts once, whatever is delivered twice, crashes, or is restarted.
 *
 * <p>{@link dev.spream.projection.runner.ProjectionManager} runs them; {@link dev.spream.projection.ProjectionStore} is
 * what it needs of the database, {@link dev.spream.projection.ProjectionOperations} what operators need.
 */
@NullMarked
package dev.spream.projection;

import org.jspecify.annotations.NullMarked;
