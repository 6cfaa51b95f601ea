package dev.spream.core.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A projection as the process sees it that runs it.
 *
 * @param state as it was last read
 * @param segmentsHeld by this process
 * @param lagEvents how many are not dealt with yet of the segments held here, 0 if caught up. Of a source with positions, how far
 *     the furthest segment is from the last event: an upper bound; of others, those that were delivered. Empty if nothing is
 *     known: nothing was read yet, or nothing is read, since the projection does not run, or others have its segments
 * @param lag how long ago the oldest event occurred that is known and not dealt with; 0 if caught up. Says nothing if
 *     {@code lagEvents} is empty
 * @param outage what keeps it from going on, and is tried again all the while, such as an unreachable database
 */
public record ProjectionView(
        ProjectionState state, int segmentsHeld, OptionalLong lagEvents, Duration lag, Optional<String> outage) {
    public ProjectionView {
        requireNonNull(state, "state");
        requireNonNull(lagEvents, "lagEvents");
        requireNonNull(lag, "lag");
        requireNonNull(outage, "outage");
    }
}
