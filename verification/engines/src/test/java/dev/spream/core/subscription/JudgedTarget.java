package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.util.HashMap;
import java.util.Map;

/**
 * The target of a consumer's effects, which uses {@link dev.spream.core.consume.Delivery#epoch()} as intended: it
 * refuses changes under a lower epoch of a partition than it has seen. Calls that began before their process lost the
 * partition, and end afterwards, then have no effect: under each epoch a key only moves forward; it moves back only
 * with a new epoch of the partition that it moves back to; and it skips nothing.
 *
 * <p>Known limit: a call of a partition that is read ahead of another one, which began before its process lost that one,
 * has its own epoch, which is not raised until the partition is acquired again. The judge refuses it in place of the target.
 */
final class JudgedTarget {

    /** The latest change of a key, and from where it came. */
    private record Latest(int index, PartitionToken partition, long epoch) {}

    private final SimulationJudge judge;
    private final Ordering ordering;
    private final boolean fences;
    private final SimulationTally tally;
    private final Map<PartitionToken, Long> epochs = new HashMap<>();
    private final Map<RecordKey, Latest> latest = new HashMap<>();
    private final Map<RecordKey, Integer> furthest = new HashMap<>();

    /** The epochs under which each key came from each partition. */
    private final Map<RecordKey, Map<PartitionToken, Long>> begun = new HashMap<>();

    JudgedTarget(SimulationJudge judge, Ordering ordering, boolean fences, SimulationTally tally) {
        this.judge = judge;
        this.ordering = ordering;
        this.fences = fences;
        this.tally = tally;
    }

    /** The effect of a change that the process settles under that hold. */
    void took(JudgedHold hold, SimulatedWorld.Change change) {
        boolean late = epochs.merge(hold.token, hold.epoch, Math::max) > hold.epoch && fences;
        if (late || isAheadOfLost(hold)) {
            tally.count(SimulationEvent.FENCED);
            return;
        }
        if (ordering != Ordering.NONE) {
            change.keys().forEach((key, index) -> took(hold, change, key, index));
        }
    }

    /** A change of a transaction that is dead-lettered: it has no effect, and the next ones of its keys are awaited. */
    void passed(JudgedHold hold, SimulatedWorld.Change change) {
        if (epochs.merge(hold.token, hold.epoch, Math::max) > hold.epoch && fences) {
            tally.count(SimulationEvent.FENCED);
            return;
        }
        change.keys().forEach((key, index) -> {
            Latest before = latest.get(key);
            Long epoch = begun.computeIfAbsent(key, k -> new HashMap<>()).put(hold.token, hold.epoch);
            if (before == null || (epoch != null && epoch < hold.epoch) || index > before.index) {
                latest.put(key, new Latest(index, hold.token, hold.epoch));
            }
            furthest.merge(key, index, Math::max);
        });
    }

    /** A change that is not delivered. */
    void skipped(SimulatedWorld.Change change) {
        change.keys().forEach((key, index) -> furthest.merge(key, index, Math::max));
    }

    private boolean isAheadOfLost(JudgedHold hold) {
        return hold.ahead.entrySet().stream()
                .anyMatch(source -> epochs.getOrDefault(source.getKey().token, 0L) > source.getKey().epoch
                        && !source.getValue().getAsBoolean());
    }

    private void took(JudgedHold hold, SimulatedWorld.Change change, RecordKey key, int index) {
        Latest before = latest.put(key, new Latest(index, hold.token, hold.epoch));
        Long epoch = begun.computeIfAbsent(key, k -> new HashMap<>()).put(hold.token, hold.epoch);
        boolean begins = before == null || (epoch != null && epoch < hold.epoch);
        if ((!begins && index <= before.index) || index > furthest.getOrDefault(key, -1) + 1) {
            throw judge.violated(
                    Promise.ORDER,
                    "%s of %s, epoch %d, is number %d of key %s; it follows %s, and the furthest was %d",
                    SimulationJudge.describe(change.row()),
                    hold.token,
                    hold.epoch,
                    index,
                    key.primaryKey(),
                    String.valueOf(before),
                    furthest.getOrDefault(key, -1));
        }
        furthest.merge(key, index, Math::max);
    }
}
