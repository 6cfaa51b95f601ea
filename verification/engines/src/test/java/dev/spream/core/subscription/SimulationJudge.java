package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks every call of a port against the guarantees of {@link Subscriber}, and against the true state of the {@link
 * SimulatedWorld}. Stands between the engine and its ports, and so observes all actions of the engine. The first
 * violation ends the history.
 *
 * <p>Vocabulary: a change is <em>settled</em> in a process when its consumer returned, the error handler skipped it, or
 * the dead letter sink stored it; it is <em>durable</em> when the consumer's flush that began after that has returned,
 * or the sink stored it. Changes that are settled and not durable are lost with the process. A process <em>holds</em> a
 * partition under an epoch from when it acquired it; the hold is <em>over</em> when the lease has expired by the
 * storage's clock, or was released.
 *
 * <p>Requirement for several processes: a call of the consumer, or of the sink, begins while the lease lasts by the
 * process's own monotonic clock, and so before another process can acquire the partition. Two things are allowed,
 * because a process cannot prevent them. A call that has begun may continue when the hold is over, concurrently with
 * calls of the next owner. And a process may be paused between its last check of the clock and the call, and begin it
 * when it continues. Both are recognised by the epoch of their delivery; {@link JudgedTarget} describes the remaining
 * effects.
 */
final class SimulationJudge {
    final JudgedSource source;
    final JudgedConsumer consumer;
    final JudgedStorage storage;
    final JudgedShares shares;
    final JudgedOrder order;
    final JudgedTransactions transactions;
    final JudgedCorrections corrections;

    private final JudgedTarget target;
    private final SimulatedMachine machine;
    private final SimulatedWorld world;
    private final Ordering ordering;
    private final SimulationTally tally;
    private final Map<SimulatedProcess, JudgedRun> runs = new LinkedHashMap<>();
    private final Set<RecordIdentity> durable = new HashSet<>();

    SimulationJudge(
            SimulatedMachine machine,
            SimulatedWorld world,
            SubscriberOptions options,
            TransactionMode mode,
            PartitionStorage surviving,
            SimulationTally tally,
            int maxOpenQueries,
            long longestLatency,
            boolean fences) {
        this.machine = machine;
        this.world = world;
        this.ordering = JudgedTransactions.orderingOf(mode, options);
        this.tally = tally;
        this.shares = new JudgedShares(
                this,
                machine,
                surviving,
                options,
                Math.min(maxOpenQueries, options.maxOpenPartitions()),
                longestLatency,
                mode != TransactionMode.OFF,
                tally);
        this.storage = new JudgedStorage(this, world, surviving, machine, options, shares, tally);
        this.order = new JudgedOrder(this, world, ordering, tally);
        this.source = new JudgedSource(this, world, options, maxOpenQueries, tally);
        this.consumer = new JudgedConsumer(this, world, machine, options, ordering, tally);
        this.transactions = new JudgedTransactions(this, world, mode, options, tally);
        this.corrections = new JudgedCorrections(this, world, tally);
        this.target = new JudgedTarget(this, ordering, fences, tally);
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
        return runs.computeIfAbsent(process, JudgedRun::new);
    }

    boolean isDurable(SimulatedWorld.Change change) {
        return durable.contains(change.identity());
    }

    /** The change as the world knows it. */
    SimulatedWorld.Change known(DataChangeRecord row) {
        SimulatedWorld.Change change = world.change(row.identity());
        if (change == null || !change.row().equals(row)) {
            throw violated(Promise.AT_LEAST_ONCE, "%s is not asked for", describe(row));
        }
        return change;
    }

    // The consumer.

    void settled(SimulatedProcess process, JudgedHold hold, SimulatedWorld.Change change) {
        noteSettled(process, hold, change);
        target.took(hold, change);
    }

    private void noteSettled(SimulatedProcess process, JudgedHold hold, SimulatedWorld.Change change) {
        JudgedRun run = run(process);
        hold.settled.add(change.identity());
        tally.count(
                run.settled.add(change.identity()) && !isDurable(change)
                        ? SimulationEvent.SETTLED
                        : SimulationEvent.SETTLED_AGAIN);
        run.unflushed.add(change);
        shares.progressed();
    }

    /** The error handler skips a change, or a whole transaction. */
    void skipped(SimulatedProcess process, DeliveryFailure failure) {
        if (transactions.isOn()) {
            transactions.skipped(process, failure.change());
        } else {
            settled(process, requireNonNull(run(process).holds.get(failure.partition())), known(failure.change()));
        }
    }

    /** A change is in a gap that an operator added. */
    void skipped(SimulatedWorld.Change change) {
        durable.add(change.identity());
        target.skipped(change);
    }

    /** Returns the changes that the flush makes durable when it returns. */
    List<SimulatedWorld.Change> flushStarted(SimulatedProcess process) {
        return List.copyOf(run(process).unflushed);
    }

    void flushed(SimulatedProcess process, List<SimulatedWorld.Change> covered) {
        JudgedRun run = run(process);
        covered.forEach(change -> {
            durable.add(change.identity());
            run.durable.add(change.identity());
        });
        run.unflushed.subList(0, covered.size()).clear();
    }

    /** The sink is asked to take a change. */
    void deadLettering(SimulatedProcess process, DeadLetter letter) {
        JudgedHold hold = requireNonNull(run(process).holds.get(letter.partition()));
        consumer.requireLease(process, hold, "dead-letters", List.of(letter.change()));
    }

    void deadLettered(SimulatedProcess process, DeadLetter letter) {
        JudgedRun run = run(process);
        SimulatedWorld.Change change = known(letter.change());
        JudgedHold hold = requireNonNull(run.holds.get(letter.partition()));
        // Letters are in the order of their positions, however those of one transaction arrive.
        consumer.requireTurn(run, hold, change, transactions.isOn() ? transactions.of(change) : Set.of());
        if (transactions.isOn()) {
            hold.letters.add(change.identity());
            noteSettled(process, hold, change);
            target.passed(hold, change);
        } else {
            settled(process, hold, change);
        }
        durable.add(change.identity());
        run.durable.add(change.identity());
        if (letter.reason() != DeadLetter.Reason.FAILED) {
            consumer.parked(hold, change);
        }
    }

    void failed(SimulatedProcess process, DeliveryFailure failure) {
        JudgedHold hold = requireNonNull(run(process).holds.get(failure.partition()));
        if (hold.settled.contains(failure.change().identity())) {
            throw violated(Promise.ONCE_TOLD, "%s fails and was settled", describe(failure.change()));
        }
    }

    // The listener.

    void toldSettled(SimulatedProcess process, PartitionToken token, DataChangeRecord row) {
        JudgedHold hold = requireNonNull(run(process).holds.get(token));
        int told = hold.told.merge(row.identity(), 1, Integer::sum);
        if (!hold.settled.contains(row.identity())) {
            throw violated(
                    Promise.AT_LEAST_ONCE, "%s counts as settled, and its consumer has not returned", describe(row));
        }
        if (told > 1) {
            throw violated(Promise.ONCE_TOLD, "the listener is told %d times that %s is settled", told, describe(row));
        }
    }

    void lost(SimulatedProcess process, PartitionToken token, long epoch) {
        JudgedHold hold = run(process).holds.get(token);
        shares.disturbed();
        if (hold != null && hold.epoch == epoch) {
            hold.given = true;
        }
    }

    // The end.

    /** The process runs no more, whatever its threads were doing. */
    void gone(SimulatedProcess process) {
        consumer.gone(run(process));
        shares.leaving(run(process));
    }

    /** The process has ended by itself. */
    void ended(SimulatedProcess process) {
        for (JudgedHold hold : run(process).allHolds) {
            for (RecordIdentity settled : hold.settled) {
                // A batch of one tells that its change is settled when its call returns, which may never be.
                if (hold.calls == 0
                        && !hold.told.containsKey(settled)
                        && !transactions.isLetterOfPart(run(process), hold, settled)) {
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
        storage.verify();
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
