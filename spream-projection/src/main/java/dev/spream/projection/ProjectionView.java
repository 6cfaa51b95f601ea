package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A version of a projection as seen by a process that runs it.
 *
 * @param version which one, and whether it is live
 * @param state as it was last read
 * @param segmentsHeld by this process
 * @param lagEvents how many are not dealt with yet of the segments held here. Of a source with positions, how far the furthest
 *     segment is from the last event, those included that a transaction which is open keeps from being read: an upper bound; of
 *     others, those that were delivered. 0 only if each segment is being read and was found caught up within the last ten
 *     seconds. Empty if that is not known: nothing was read yet, or the last sample is old and no event is known, since the
 *     source or the store cannot be reached, as far as the source can tell, or leases have run out; or nothing is to be read
 *     here, since the projection does not run, or others have its segments
 * @param lag how long ago the oldest event occurred that is known and not dealt with, or since when a transaction which is open
 *     has kept others from being read; where a segment was caught up and is not looked at any more, since when. It grows as long
 *     as that lasts. Zero only if {@code lagEvents} may be 0; empty if there is no sample yet, or nothing is to be read here
 * @param outage the outage that stops its progress and is being retried, such as an unreachable database
 * @param rebuild how far a version is that is not live, as it was last read; empty of the live one
 * @param parked what is parked, by any process, as it was read within the last five seconds: {@code lagEvents} and {@code lag}
 *     are without it, since the position has passed it
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

    /** The live version of a projection, with nothing parked. */
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
