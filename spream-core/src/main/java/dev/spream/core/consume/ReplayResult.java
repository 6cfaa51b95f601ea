package dev.spream.core.consume;

import dev.spream.core.record.RecordIdentity;
import java.util.List;
import java.util.Set;

/**
 * The outcome of a replay of dead letters.
 *
 * @param replayed how many the consumer took
 * @param refused those that the consumer refused again, with what it threw; they stay open
 * @param overtaken those that were not handed over, because a later change of one of their keys was delivered
 * @param left how many were not handed over for another reason: they follow one that was refused, or somebody else
 *     replays them; they stay open
 * @param released the keys that are no longer parked
 */
public record ReplayResult(
        int replayed, List<Refusal> refused, List<RecordIdentity> overtaken, int left, Set<RecordKey> released) {

    /** A change that the consumer refused again. */
    public record Refusal(RecordIdentity identity, Throwable cause) {}

    public ReplayResult {
        refused = List.copyOf(refused);
        overtaken = List.copyOf(overtaken);
        released = Set.copyOf(released);
    }

    /** Whether every letter was replayed. */
    public boolean isComplete() {
        return refused.isEmpty() && overtaken.isEmpty() && left == 0;
    }
}
