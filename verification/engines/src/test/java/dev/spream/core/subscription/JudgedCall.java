package dev.spream.core.subscription;

import dev.spream.core.consume.RecordKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * A call of the consumer. Of a batch it knows which changes count as handled when the call returns: not those that failed,
 * and not those that follow one in their key, or at all where the order is that of the partition.
 */
final class JudgedCall {
    private final SimulationJudge judge;
    private final SimulatedProcess process;
    private final JudgedHold hold;
    private final List<SimulatedWorld.Change> changes;
    private final Set<Integer> settled = new HashSet<>();
    private final Set<Integer> failed = new HashSet<>();

    JudgedCall(SimulationJudge judge, SimulatedProcess process, JudgedHold hold, List<SimulatedWorld.Change> changes) {
        this.judge = judge;
        this.process = process;
        this.hold = hold;
        this.changes = changes;
    }

    void settle(int index) {
        if (settled.add(index)) {
            judge.settled(process, hold, changes.get(index));
            judge.consumer.left(hold, changes.get(index), open());
        }
    }

    private List<SimulatedWorld.Change> open() {
        return IntStream.range(0, changes.size())
                .filter(index -> !settled.contains(index))
                .mapToObj(changes::get)
                .toList();
    }

    void fail(int index) {
        failed.add(index);
    }

    /** Returns whether a user may settle the change now: nothing before it in its key is open. */
    boolean mayBeSettled(int index) {
        for (int i = 0; i < index; i++) {
            if (!settled.contains(i) && follows(changes.get(index), changes.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** The call returns. */
    void settleRest() {
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
        judge.consumer.ended(process, hold, open());
    }
}
