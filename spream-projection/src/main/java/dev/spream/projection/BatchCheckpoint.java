package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The checkpoint of a batch, stored in the transaction of its effects.
 *
 * @param versions for each aggregate the last version that was applied
 * @param parked aggregates that are parked from now on, and why
 * @param setAside events of aggregates that are parked, those of {@code parked} among them; one that is kept already stays as it
 *     is
 * @param position how far the segment is now; empty for sources without positions, and if it is where it was
 * @param last the last event of the batch that was applied; empty if none was
 * @param dealt how many events the batch handles for the first time: applied, passed over or kept for parked aggregates; 0 or
 *     more
 */
public record BatchCheckpoint(
        Map<String, Long> versions,
        Map<String, ParkDecision> parked,
        List<EventEnvelope> setAside,
        OptionalLong position,
        Optional<EventEnvelope> last,
        long dealt) {
    /** Of which no event counts as dealt with, as of a position that moves without events. */
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
