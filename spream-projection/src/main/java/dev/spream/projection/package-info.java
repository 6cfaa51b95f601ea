/**
 * Projections: read models that follow events. Each has its own checkpoint and its own state; the effects of an event,
 * the state of its aggregate and the checkpoint are written in one transaction of the read model's database, so that
 * every event counts once despite duplicates, crashes and restarts.
 *
 * <p>{@link dev.spream.projection.runner.ProjectionManager} runs them; {@link dev.spream.projection.ProjectionStore} is
 * the port to the database, {@link dev.spream.projection.ProjectionOperations} that for operators.
 */
@NullMarked
package dev.spream.projection;

import org.jspecify.annotations.NullMarked;
