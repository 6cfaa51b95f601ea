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
 * @param lagEvents how many are not dealt with yet of the segments held here, 0 if caught up. Of a source with positions, the
 *     distance to the last one: an upper bound; of others, those that were delivered. Empty as long as nothing is known
 * @param lag how long ago the oldest event occurred that is known and not dealt with; 0 if caught up
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
