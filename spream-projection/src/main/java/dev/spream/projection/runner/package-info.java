/**
 * Runs projections: {@link dev.spream.projection.runner.ProjectionManager} is for users, everything else is its engine.
 * A {@code FeedLoop} reads a segment, a {@code BatchRun} has the store commit events and their checkpoint, and a {@code
 * ParkedRetrier} tries parked aggregates again.
 */
@NullMarked
package dev.spream.projection.runner;

import org.jspecify.annotations.NullMarked;
