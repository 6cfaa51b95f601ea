package dev.spream.core.consume;

import dev.spream.core.record.RecordIdentity;
import java.util.List;
import java.util.Set;

/**
 * The outcome of a replay of dead letters.
 *
 * @param replayed the number that the consumer accepted
 * @param refused those on which the consumer failed again, with its exceptions; they stay open
 * @param overtaken those not replayed because a later change of one of their keys was delivered
 * @param left the number not replayed for another reason: they follow a refused one, or another replay has claimed
 *     them; they stay open
 * @param released the keys that are no longer parked
 */
public record ReplayResult(
        int replayed, List<Refusal> refused, List<RecordIdentity> overtaken, int left, Set<RecordKey> released) {

    /** A change on which the consumer failed again. */
    public record Refusal(RecordIdentity identity, Throwable cause) {}

    public ReplayResult {
        refused = List.copyOf(refused);
        overtaken = List.copyOf(overtaken);
        released = Set.copyOf(released);
    }

    /** Returns whether every letter was replayed. */
    public boolean isComplete() {
        return refused.isEmpty() && overtaken.isEmpty() && left == 0;
    }
}
