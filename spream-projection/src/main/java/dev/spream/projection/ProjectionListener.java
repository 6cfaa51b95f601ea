package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A listener for the events of projections, for metrics and logs. Must not block; its exceptions are logged and
 * otherwise ignored. Called by many threads at once.
 *
 * <p>Events of a version of a projection are reported with the name of its {@linkplain ProjectionVersion#stateName() state}.
 */
public interface ProjectionListener {
    /**
     * Reports the versions of a projection that run here, and the role of each. Called before any other call about one of
     * them, and again after a change: within a second or so of an exchange of roles.
     *
     * @param versions in ascending order; those not listed no longer run here
     */
    default void versionsChanged(String projection, List<ProjectionVersion> versions) {}

    /**
     * Called when a batch was committed.
     *
     * @param applied the number of events that had an effect, or were of no interest
     * @param duplicates the number of duplicates
     * @param parked the number of events that were stored for parked aggregates
     * @param took the time from its first statement to its commit
     */
    default void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {}

    /**
     * Called when aggregates have advanced, after the commit and before other calls about it, with the last processed
     * version of each: all of its events up to there are applied, skipped or of no interest.
     */
    default void advanced(String projection, Map<String, Long> versions) {}

    /** Called when an event was applied, with the average time per event of its batch. */
    default void eventApplied(String projection, EventEnvelope event, Duration took) {}

    /** Called when an aggregate was parked, or stays parked, because its events could not be applied. */
    default void keyParked(String projection, String key, ParkDecision parking) {}

    /** Called when all events of a parked aggregate were applied, so that it is no longer parked. */
    default void keyResumed(String projection, String key) {}

    /** Called when something failed: an event, a source, or the store. */
    default void failed(String projection, FailureKind kind, Exception failure) {}

    /** Called when an item that is not an event was stored as a dead letter. */
    default void undecodable(String projection, String origin, String reason) {}

    /** Called when this process finds a change of a projection's status. */
    default void statusChanged(String projection, ProjectionStatus status) {}

    /** Called when another owner took a segment over before this process released it. */
    default void segmentLost(String projection, int segment) {}
}
