package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.time.Duration;
import java.util.List;

/**
 * A listener for the events of projections, for metrics and logs. Must not wait; its exceptions are logged and otherwise ignored.
 * Called by many threads at once.
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
     * A batch was committed.
     *
     * @param applied how many events had an effect, or were of no interest
     * @param duplicates how many were known already
     * @param parked how many were kept for parked aggregates
     * @param took from its first statement to its commit
     */
    default void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {}

    /**
     * An event was applied, as one of a batch that took this long for each of its events on average.
     */
    default void eventApplied(String projection, EventEnvelope event, Duration took) {}

    /** Events of an aggregate could not be applied, and it is parked, or stays so. */
    default void keyParked(String projection, String key, ParkDecision parking) {}

    /** All events of a parked aggregate are applied; it is no longer parked. */
    default void keyResumed(String projection, String key) {}

    /** Something failed: an event, a source, the store. */
    default void failed(String projection, FailureKind kind, Exception failure) {}

    /** An item that is no event was kept as a dead letter. */
    default void undecodable(String projection, String origin, String reason) {}

    /** Whether and where a projection runs has changed, as this process sees it. */
    default void statusChanged(String projection, ProjectionStatus status) {}

    /** Another owner took a segment over before this process released it. */
    default void segmentLost(String projection, int segment) {}
}
