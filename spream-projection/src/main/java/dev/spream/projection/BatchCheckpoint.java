package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The checkpoint of a batch, stored in the transaction of its effects.
 *
 * @param versions the last applied version of each aggregate
 * @param parked aggregates that are parked from now on, with the decision
 * @param setAside events of parked aggregates, including those of {@code parked}; an event that is stored already is
 *     not changed
 * @param position the new position of the segment; empty for sources without positions, and if it is unchanged
 * @param last the last event of the batch that was applied; empty if none was
 * @param dealt the number of events that the batch processes for the first time: applied, skipped or stored for parked
 *     aggregates; 0 or more
 */
public record BatchCheckpoint(
        Map<String, Long> versions,
        Map<String, ParkDecision> parked,
        List<EventEnvelope> setAside,
        OptionalLong position,
        Optional<EventEnvelope> last,
        long dealt) {
    /**
     * Creates a checkpoint in which no event counts as processed, such as for a position that advances without events.
     */
    public BatchCheckpoint(
            Map<String, Long> versions,
            Map<String, ParkDecision> parked,
            List<EventEnvelope> setAside,
            OptionalLong position,
            Optional<EventEnvelope> last) {
        this(versions, parked, setAside, position, last, 0);
    }

    public BatchCheckpoint {
        versions = Map.copyOf(versions);
        parked = Map.copyOf(parked);
        setAside = List.copyOf(setAside);
    }
}
