package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of a version of a projection in a process that runs it.
 *
 * @param version the version and its role
 * @param state the stored state when it was last read
 * @param segmentsHeld the number of segments held by this process
 * @param lagEvents the number of unprocessed events of the segments held here. For a source with positions, the
 *     distance of the furthest segment from the last event, including events that an open transaction keeps from being
 *     read: an upper bound; for others, the number of unprocessed deliveries. 0 only if each segment is being read and
 *     was found caught up within the last ten seconds. Empty if unknown: nothing was read yet; or the last sample is
 *     old and no event is known, because the source or the store cannot be reached, as far as the source can detect, or
 *     leases have expired; or nothing is to be read here, because the projection does not run, or others have its
 *     segments
 * @param lag the age of the oldest known unprocessed event, or the time since an open transaction has kept events from
 *     being read; for a segment that was caught up and is no longer read, the time since then. It grows as long as that
 *     lasts. Zero only if {@code lagEvents} may be 0; empty if there is no sample yet, or nothing is to be read here
 * @param outage the outage that stops its progress and is being retried, such as an unreachable database
 * @param rebuild the progress of a version that is not live, when it was last read; empty for the live one
 * @param parked the parked aggregates of all processes, as read within the last five seconds: {@code lagEvents} and
 *     {@code lag} exclude them, since the position has passed them
 */
public record ProjectionView(
        ProjectionVersion version,
        ProjectionState state,
        int segmentsHeld,
        OptionalLong lagEvents,
        Optional<Duration> lag,
        Optional<String> outage,
        Optional<RebuildProgress> rebuild,
        ParkedSummary parked) {
    public ProjectionView {
        requireNonNull(version, "version");
        requireNonNull(rebuild, "rebuild");
        requireNonNull(state, "state");
        requireNonNull(lagEvents, "lagEvents");
        requireNonNull(lag, "lag");
        requireNonNull(outage, "outage");
        requireNonNull(parked, "parked");
    }

    /** Creates the view of a live version with nothing parked. */
    public ProjectionView(
            ProjectionState state,
            int segmentsHeld,
            OptionalLong lagEvents,
            Optional<Duration> lag,
            Optional<String> outage) {
        this(
                new ProjectionVersion(state.projection(), 1, 1, VersionRole.LIVE, 0, true),
                state,
                segmentsHeld,
                lagEvents,
                lag,
                outage,
                Optional.empty(),
                ParkedSummary.NONE);
    }
}
