package dev.spream.projection.runner;

import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.event.EventEnvelope;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The plan for the events of a transaction.
 *
 * @param handle the events to apply, those of each aggregate in order
 * @param passed the number of events that only count as seen, since the projection does not handle their types
 * @param duplicates the number of events that were processed before
 * @param versions the versions to store for aggregates whose events are handled or passed
 * @param parked aggregates to park
 * @param setAside events to store for parked aggregates
 */
record BatchPlan(
        List<EventEnvelope> handle,
        int passed,
        int duplicates,
        Map<String, Long> versions,
        Map<String, ParkDecision> parked,
        List<EventEnvelope> setAside) {

    /** The decision to park an aggregate from that version on, because that event failed. */
    record Verdict(long version, ParkDecision parking) {}

    BatchCheckpoint progress(OptionalLong position) {
        Optional<EventEnvelope> last = handle.isEmpty() ? Optional.empty() : Optional.of(handle.getLast());
        return new BatchCheckpoint(versions, parked, setAside, position, last, applied() + setAside.size());
    }

    /** Returns the first event of an aggregate that is stored because the aggregate is parked. */
    long firstVersion(String key) {
        return setAside.stream()
                .filter(event -> event.aggregateId().equals(key))
                .mapToLong(EventEnvelope::eventVersion)
                .min()
                .orElse(0);
    }

    int applied() {
        return handle.size() + passed;
    }
}
