package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds every call of a port against the promises that {@link Subscriber} makes, and against the truth of the {@link
 * SimulatedWorld}. Stands between the engine and its ports: what it sees is what the engine did. The first broken promise
 * ends the history.
 *
 * <p>Vocabulary: a change is <em>settled</em> in a process when its consumer returned, the error handler skipped it, or the
 * dead letter sink took it; it is <em>durable</em> when the consumer's flush that began after that has returned, or the
 * sink took it. What is settled and not durable dies with the process.
 */
final class SimulationJudge {
    private final SimulatedMachine machine;
    private final SimulatedWorld world;
    private final SubscriberOptions options;
    private final Ordering ordering;
    private final SimulatedDeadLetters letters;
    private final SimulationTally tally;
    private final JudgedStorage storage;
    private final int maxOpenQueries;
    private final Map<SimulatedProcess, JudgedRun> runs = new LinkedHashMap<>();
    private final Set<RecordIdentity> durable = new HashSet<>();

    SimulationJudge(
            SimulatedMachine machine,
            SimulatedWorld world,
            SubscriberOptions options,
            Ordering ordering,
            SimulatedDeadLetters letters,
            PartitionStorage surviving,
            SimulationTally tally,
            int maxOpenQueries) {
        this.machine = machine;
        this.world = world;
        this.options = options;
        this.ordering = ordering;
        this.letters = letters;
        this.tally = tally;
        this.storage = new JudgedStorage(this, world, surviving, machine, options, tally);
        this.maxOpenQueries = Math.min(maxOpenQueries, options.maxOpenPartitions());
    }

    Ordering ordering() {
        return ordering;
    }

    SimulationViolation violated(Promise promise, String message, Object... arguments) {
        SimulationViolation violation = new SimulationViolation(
                promise, "at %s: %s".formatted(machine.instant(), message.formatted(arguments)));
        machine.fail(violation);
        return violation;
    }

    JudgedRun run(SimulatedProcess process) {
        return runs.computeIfAbsent(process, p -> new JudgedRun());
    }

    boolean isDurable(SimulatedWorld.Change change) {
        return durable.contains(change.identity());
    }

    // The source.

    void queried(SimulatedProcess process, PartitionQuery query) {
        JudgedRun run = run(process);
        if (run.openCursors.size() >= maxOpenQueries) {
            throw violated(Promise.BOUNDS, "a query of %s while %s are open", query.token(), run.openCursors.size());
        }
        if (run.openCursors.stream().anyMatch(cursor -> cursor.token().equals(query.token()))) {
            throw violated(Promise.ONE_OWNER, "two open queries of %s in %s", query.token(), process);
        }
        requireParentsDone(query.token());
    }

    private void requireParentsDone(PartitionToken token) {
        SimulatedPartition partition = world.partition(token);
        if (partition == null) {
            return;
        }
        for (PartitionToken parent : partition.parents) {
            for (SimulatedWorld.Change change : world.changesOf(parent)) {
                if (!isDurable(change)) {
                    throw violated(
                            Promise.ORDER,
                            "%s is read while %s of its parent %s is not settled",
                            token,
                            describe(change.row()),
                            parent);
                }
            }
        }
    }

    void opened(SimulatedProcess process, SimulatedCursor cursor) {
        run(process).openCursors.add(cursor);
    }

    void closed(SimulatedProcess process, SimulatedCursor cursor) {
        run(process).openCursors.remove(cursor);
    }

    void read(SimulatedProcess process, PartitionToken token, ChangeRecord row) {
        JudgedRun run = run(process);
        JudgedHold hold = run.holds.get(token);
        if (hold == null) {
            throw violated(Promise.ONE_OWNER, "%s reads %s and never acquired it", process, token);
        }
        if (!(row instanceof DataChangeRecord change) || !hold.read.add(change.identity())) {
            return;
        }
        // The reader has one in its hands while it waits for room.
        if (hold.unsettled() > options.maxInflight() + 1) {
            throw violated(Promise.BOUNDS, "%d changes of %s are read and not settled", hold.unsettled(), token);
        }
        int open = 0;
        int unsettled = 0;
        for (JudgedHold other : run.holds.values()) {
            if (!other.given && process.nanoTime() < other.leaseUntil) {
                open++;
                unsettled += other.unsettled();
            }
        }
        if (unsettled > options.maxBufferedChanges() + 2 * open) {
            throw violated(Promise.BOUNDS, "%d changes of %d partitions are read and not settled", unsettled, open);
        }
    }

    // The consumer.

    /** A call of the consumer begins. */
    JudgedCall started(SimulatedProcess process, List<DataChangeRecord> rows, List<Delivery> deliveries) {
        JudgedRun run = run(process);
        List<SimulatedWorld.Change> changes = rows.stream().map(this::known).toList();
        JudgedHold hold = hold(run, changes.getFirst(), deliveries);
        tally.count(SimulationEvent.CALL);
        if (changes.size() > 1) {
            tally.count(SimulationEvent.MULTI_BATCH);
        }
        if (run.calls > 0) {
            tally.count(SimulationEvent.CONCURRENT_CALLS);
        }
        if (process.nanoTime() >= hold.leaseUntil) {
            throw violated(
                    Promise.ONE_OWNER,
                    "%s consumes %s, and its lease of epoch %d ended %s ago",
                    process,
                    describe(rows),
                    hold.epoch,
                    Duration.ofNanos(process.nanoTime() - hold.leaseUntil));
        }
        if (changes.size() > options.maxBatchSize() || hold.inCalls.size() + changes.size() > options.maxInflight()) {
            throw violated(
                    Promise.BOUNDS,
                    "a call of %d changes of %s while %d are in calls",
                    changes.size(),
                    hold.token,
                    hold.inCalls.size());
        }
        requireParentsDone(hold.token);
        if (ordering == Ordering.PARTITION && !hold.inCalls.isEmpty()) {
            throw violated(
                    Promise.ORDER, "%s is consumed while %s of the same partition is", describe(rows), hold.inCalls);
        }
        Set<RecordIdentity> inThisCall = new HashSet<>();
        for (SimulatedWorld.Change change : changes) {
            if (!change.partition().token.equals(hold.token) || !hold.read.contains(change.identity())) {
                throw violated(Promise.ORDER, "%s is consumed and was not read", describe(change.row()));
            }
            if (hold.settled.contains(change.identity()) || hold.inCalls.contains(change.identity())) {
                throw violated(
                        Promise.ORDER,
                        "%s is consumed again without a new lease of its partition",
                        describe(change.row()));
            }
            requireTurn(run, hold, change, inThisCall);
            requireFreeKeys(process, run, hold, change);
            inThisCall.add(change.identity());
        }
        run.calls++;
        hold.inCalls.addAll(inThisCall);
        changes.forEach(change -> change.keys().keySet().forEach(key -> run.busyKeys.put(key, hold)));
        return new JudgedCall(this, process, hold, changes);
    }

    private SimulatedWorld.Change known(DataChangeRecord row) {
        SimulatedWorld.Change change = world.change(row.identity());
        if (change == null || !change.row().equals(row)) {
            throw violated(Promise.AT_LEAST_ONCE, "%s is not asked for", describe(row));
        }
        return change;
    }

    private JudgedHold hold(JudgedRun run, SimulatedWorld.Change first, List<Delivery> deliveries) {
        JudgedHold latest = requireNonNull(run.holds.get(first.partition().token));
        if (deliveries.isEmpty()) {
            return latest;
        }
        Delivery delivery = deliveries.getFirst();
        return run.allHolds.stream()
                .filter(hold -> hold.token.equals(delivery.partition()) && hold.epoch == delivery.epoch())
                .findFirst()
                .orElseThrow(() -> violated(
                        Promise.ONE_OWNER, "a delivery under epoch %d, which was not acquired", delivery.epoch()));
    }

    /** Everything that the change must not overtake has to be settled, here or for good; or precede it in its call. */
    private void requireTurn(
            JudgedRun run, JudgedHold hold, SimulatedWorld.Change change, Set<RecordIdentity> precedingInCall) {
        if (ordering == Ordering.NONE) {
            return;
        }
        change.keys().forEach((key, index) -> {
            List<SimulatedWorld.Change> history = world.history(key);
            for (SimulatedWorld.Change earlier : history.subList(0, index)) {
                if (precedingInCall.contains(earlier.identity())) {
                    continue;
                }
                boolean settledHere = hold.settled.contains(earlier.identity());
                boolean skippedHere = hold.read.contains(earlier.identity()) && !settledHere;
                if (skippedHere || (!isDurable(earlier) && !run.settled.contains(earlier.identity()))) {
                    throw violated(
                            Promise.ORDER,
                            "%s overtakes %s of key %s",
                            describe(change.row()),
                            describe(earlier.row()),
                            key.primaryKey());
                }
            }
        });
        if (ordering == Ordering.PARTITION) {
            for (RecordIdentity earlier : hold.read) {
                if (earlier.equals(change.identity())) {
                    break;
                }
                if (!hold.settled.contains(earlier) && !precedingInCall.contains(earlier)) {
                    throw violated(Promise.ORDER, "%s overtakes %s", describe(change.row()), earlier);
                }
            }
        }
    }

    private void requireFreeKeys(
            SimulatedProcess process, JudgedRun run, JudgedHold hold, SimulatedWorld.Change change) {
        if (ordering == Ordering.NONE) {
            return;
        }
        for (RecordKey key : change.keys().keySet()) {
            JudgedHold busy = run.busyKeys.get(key);
            if (busy != null && (busy.equals(hold) || process.nanoTime() < busy.leaseUntil)) {
                throw violated(
                        Promise.ORDER,
                        "%s is consumed while another change of key %s is",
                        describe(change.row()),
                        key.primaryKey());
            }
            if (letters.isParked(key)) {
                throw violated(
                        Promise.ORDER,
                        "%s is consumed, and key %s is parked",
                        describe(change.row()),
                        key.primaryKey());
            }
        }
    }

    void settled(SimulatedProcess process, JudgedHold hold, SimulatedWorld.Change change) {
        JudgedRun run = run(process);
        hold.settled.add(change.identity());
        tally.count(
                run.settled.add(change.identity()) && !isDurable(change)
                        ? SimulationEvent.SETTLED
                        : SimulationEvent.SETTLED_AGAIN);
        run.unflushed.add(change);
    }

    /** A change that the error handler skips. */
    void settled(SimulatedProcess process, PartitionToken token, DataChangeRecord row) {
        settled(process, requireNonNull(run(process).holds.get(token)), known(row));
    }

    void ended(SimulatedProcess process, JudgedHold hold, List<SimulatedWorld.Change> changes) {
        JudgedRun run = run(process);
        run.calls--;
        for (SimulatedWorld.Change change : changes) {
            hold.inCalls.remove(change.identity());
            change.keys().keySet().forEach(key -> run.busyKeys.remove(key, hold));
        }
    }

    /** What that flush will have made durable when it returns. */
    List<SimulatedWorld.Change> flushStarted(SimulatedProcess process) {
        return List.copyOf(run(process).unflushed);
    }

    void flushed(SimulatedProcess process, List<SimulatedWorld.Change> covered) {
        covered.forEach(change -> durable.add(change.identity()));
        run(process).unflushed.subList(0, covered.size()).clear();
    }

    void setAside(SimulatedProcess process, DeadLetter letter) {
        JudgedRun run = run(process);
        SimulatedWorld.Change change = known(letter.change());
        JudgedHold hold = requireNonNull(run.holds.get(letter.partition()));
        requireTurn(run, hold, change, Set.of());
        settled(process, hold, change);
        durable.add(change.identity());
    }

    void failed(SimulatedProcess process, DeliveryFailure failure) {
        JudgedHold hold = requireNonNull(run(process).holds.get(failure.partition()));
        if (hold.settled.contains(failure.change().identity())) {
            throw violated(Promise.ONCE_TOLD, "%s fails and was settled", describe(failure.change()));
        }
    }

    // The storage.

    void beforeStorage(SimulatedProcess process, String call, List<Object> arguments) {
        storage.before(run(process), call, arguments);
    }

    void afterStorage(SimulatedProcess process, String call, List<Object> arguments, Object result, long requestedAt) {
        storage.after(run(process), call, arguments, result, requestedAt);
    }

    // The listener.

    void toldSettled(SimulatedProcess process, PartitionToken token, DataChangeRecord row) {
        JudgedHold hold = requireNonNull(run(process).holds.get(token));
        int told = hold.told.merge(row.identity(), 1, Integer::sum);
        if (told > 1 || !hold.settled.contains(row.identity())) {
            throw violated(Promise.ONCE_TOLD, "the listener is told %d times that %s is settled", told, describe(row));
        }
    }

    void lost(SimulatedProcess process, PartitionToken token, long epoch) {
        JudgedHold hold = run(process).holds.get(token);
        if (hold != null && hold.epoch == epoch) {
            hold.given = true;
        }
    }

    // The end.

    /** The process has ended by itself. */
    void ended(SimulatedProcess process) {
        for (JudgedHold hold : run(process).allHolds) {
            for (RecordIdentity settled : hold.settled) {
                if (!hold.told.containsKey(settled)) {
                    throw violated(Promise.ONCE_TOLD, "the listener is not told that %s is settled", settled);
                }
            }
        }
        if (!run(process).openCursors.isEmpty()) {
            throw violated(Promise.BOUNDS, "%s ended and left queries open", process);
        }
    }

    /** The subscription says that it is completed. */
    void completed() {
        for (SimulatedWorld.Change change : world.changes()) {
            if (!isDurable(change)) {
                throw violated(Promise.AT_LEAST_ONCE, "%s is lost", describe(change.row()));
            }
        }
        storage.completed();
    }

    /** Changes as violations and histories show them; the text is made when it is asked for. */
    record Described(List<DataChangeRecord> changes) {
        @Override
        public String toString() {
            return changes.stream().map(Described::describe).toList().toString();
        }

        private static String describe(DataChangeRecord change) {
            StringBuilder text = new StringBuilder(change.serverTransactionId())
                    .append('/')
                    .append(change.recordSequence())
                    .append('@')
                    .append(change.commitTimestamp());
            change.mods().forEach(mod -> text.append(' ').append(mod.keys()));
            return text.toString();
        }
    }

    static Described describe(DataChangeRecord change) {
        return new Described(List.of(change));
    }

    static Described describe(List<DataChangeRecord> changes) {
        return new Described(changes);
    }
}
