package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.Set;

/**
 * The progress of the live version of a projection, as of one moment.
 *
 * @param position every event up to here is applied, skipped, or parked; 0 if there was none, or its source has no
 *     positions. A segment without events stores its position up to five times a second
 * @param aggregates the exact states of the requested aggregates, {@link AggregateState#NEW} for unknown ones
 * @param stuck those of them that are parked until an operator acts
 */
public record ProjectionProgress(
        ProjectionStatus status, long position, Map<String, AggregateState> aggregates, Set<String> stuck) {
    public ProjectionProgress {
        requireNonNull(status, "status");
        aggregates = Map.copyOf(aggregates);
        stuck = Set.copyOf(stuck);
    }

    /** Returns the state of an aggregate; that of a new one if it was not requested. */
    public AggregateState aggregate(String id) {
        return aggregates.getOrDefault(id, AggregateState.NEW);
    }
}
