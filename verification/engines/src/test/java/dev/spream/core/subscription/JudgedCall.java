package dev.spream.core.subscription;

import dev.spream.core.consume.RecordKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A call of the consumer. Of a batch it knows which changes count as handled when the call returns: not those that failed,
 * and not those that follow one in their key, or at all where the order is that of the partition. A whole transaction is
 * handled when none of its changes failed.
 */
final class JudgedCall {
    private final SimulationJudge judge;
    private final SimulatedProcess process;
    private final List<SimulatedWorld.Change> changes;
    private final List<JudgedHold> holds; // of each change
    private final boolean whole;
    private final Set<Integer> settled = new HashSet<>();
    private final Set<Integer> failed = new HashSet<>();

    /** @param whole whether it is the delivery of a whole transaction */
    JudgedCall(
            SimulationJudge judge,
            SimulatedProcess process,
            List<SimulatedWorld.Change> changes,
            List<JudgedHold> holds,
            boolean whole) {
        this.judge = judge;
        this.process = process;
        this.changes = changes;
        this.holds = holds;
        this.whole = whole;
    }

    List<SimulatedWorld.Change> changes() {
        return changes;
    }

    List<JudgedHold> holds() {
        return holds;
    }

    void settle(int index) {
        if (settled.add(index)) {
            judge.settled(process, holds.get(index), changes.get(index));
            judge.consumer.left(holds.get(index), changes.get(index), open(holds.get(index)));
        }
    }

    /** The changes of a partition that are not settled. */
    List<SimulatedWorld.Change> open(JudgedHold hold) {
        return IntStream.range(0, changes.size())
                .filter(index -> !settled.contains(index) && holds.get(index).equals(hold))
                .mapToObj(changes::get)
                .toList();
    }

    void fail(int index) {
        failed.add(index);
    }

    /** Returns whether a user may settle the change now: nothing before it in its key is open. */
    boolean mayBeSettled(int index) {
        if (whole) {
            return false;
        }
        for (int i = 0; i < index; i++) {
            if (!settled.contains(i) && follows(changes.get(index), changes.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** The call returns. */
    void settleRest() {
        if (whole && !failed.isEmpty()) {
            return;
        }
        Set<Integer> open = new HashSet<>();
        for (int i = 0; i < changes.size(); i++) {
            SimulatedWorld.Change change = changes.get(i);
            boolean behindOpen = open.stream().anyMatch(before -> follows(change, changes.get(before)));
            if (!settled.contains(i) && (failed.contains(i) || behindOpen)) {
                open.add(i);
            } else {
                settle(i);
            }
        }
    }

    private boolean follows(SimulatedWorld.Change change, SimulatedWorld.Change before) {
        return switch (judge.ordering()) {
            case PARTITION -> true;
            case KEY -> {
                for (RecordKey key : change.keys().keySet()) {
                    if (before.keys().containsKey(key)) {
                        yield true;
                    }
                }
                yield false;
            }
            case NONE -> false;
        };
    }

    void ended() {
        judge.consumer.ended(process, this);
    }
}
