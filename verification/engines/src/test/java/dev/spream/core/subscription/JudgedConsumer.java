package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The part of the {@link SimulationJudge} that watches which changes are consumed when, and after which others. */
final class JudgedConsumer {
    private final SimulationJudge judge;
    private final SimulatedWorld world;
    private final SimulatedMachine machine;
    private final SubscriberOptions options;
    private final Ordering ordering;
    private final SimulationTally tally;

    /** The keys of changes in the consumer, with their holds. */
    private final Map<RecordKey, Set<JudgedHold>> busyKeys = new HashMap<>();

    private final Map<RecordKey, Parked> parkedKeys = new HashMap<>();

    /**
     * The first process that parked a key, and the time.
     *
     * @param late whether another process could hold the partition by then
     */
    private record Parked(JudgedHold by, long at, boolean late) {}

    JudgedConsumer(
            SimulationJudge judge,
            SimulatedWorld world,
            SimulatedMachine machine,
            SubscriberOptions options,
            Ordering ordering,
            SimulationTally tally) {
        this.judge = judge;
        this.world = world;
        this.machine = machine;
        this.options = options;
        this.ordering = ordering;
        this.tally = tally;
    }

    /** A call of the consumer begins. */
    JudgedCall started(SimulatedProcess process, List<DataChangeRecord> rows, List<Delivery> deliveries) {
        JudgedRun run = judge.run(process);
        List<SimulatedWorld.Change> changes = rows.stream().map(judge::known).toList();
        JudgedHold hold = hold(run, changes.getFirst(), deliveries);
        requireBounds(hold, rows);
        return started(
                process,
                new JudgedCall(judge, process, changes, Collections.nCopies(changes.size(), hold), false),
                rows);
    }

    /** A call of the consumer begins that is given a whole transaction. */
    JudgedCall startedWhole(SimulatedProcess process, List<DataChangeRecord> rows, List<Delivery> deliveries) {
        JudgedRun run = judge.run(process);
        List<SimulatedWorld.Change> changes = rows.stream().map(judge::known).toList();
        List<JudgedHold> holds = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            holds.add(hold(run, changes.get(i), List.of(deliveries.get(i))));
        }
        return started(process, new JudgedCall(judge, process, changes, holds, true), rows);
    }

    private JudgedCall started(SimulatedProcess process, JudgedCall call, List<DataChangeRecord> rows) {
        JudgedRun run = judge.run(process);
        List<SimulatedWorld.Change> changes = call.changes();
        Set<JudgedHold> holds = new LinkedHashSet<>(call.holds());
        count(run, changes);
        holds.forEach(hold -> requireLease(process, hold, "consumes", rows));
        Set<RecordIdentity> inThisCall = new HashSet<>();
        for (int i = 0; i < changes.size(); i++) {
            SimulatedWorld.Change change = changes.get(i);
            JudgedHold hold = call.holds().get(i);
            requireFirstTime(hold, change);
            judge.corrections.requireOrder(change);
            judge.order.requireSources(process, run, hold, change);
            requireTurn(run, hold, change, inThisCall);
            requireFreeKeys(hold, change);
            inThisCall.add(change.identity());
        }
        if (holds.stream().anyMatch(hold -> hold.isStale(machine.now()))) {
            tally.count(SimulationEvent.STALE_CALL);
        }
        run.calls++;
        for (JudgedHold hold : holds) {
            hold.calls++;
            call.open(hold).forEach(change -> {
                hold.inCalls.add(change.identity());
                change.keys()
                        .keySet()
                        .forEach(key -> busyKeys.computeIfAbsent(key, k -> new LinkedHashSet<>())
                                .add(hold));
            });
        }
        return call;
    }

    private void count(JudgedRun run, List<SimulatedWorld.Change> changes) {
        tally.count(SimulationEvent.CALL);
        if (changes.size() > 1) {
            tally.count(SimulationEvent.MULTI_BATCH);
        }
        if (run.calls > 0) {
            tally.count(SimulationEvent.CONCURRENT_CALLS);
        }
    }

    /** The lease lasts, as far as the process can know. */
    void requireLease(SimulatedProcess process, JudgedHold hold, String what, List<DataChangeRecord> rows) {
        if (hold.released) {
            throw judge.violated(
                    Promise.ONE_OWNER,
                    "%s %s %s, and gave epoch %d back",
                    process,
                    what,
                    SimulationJudge.describe(rows),
                    hold.epoch);
        }
        if (process.lastAwake() >= hold.leaseUntil) {
            throw judge.violated(
                    Promise.ONE_OWNER,
                    "%s %s %s, and its lease of epoch %d ended %s ago",
                    process,
                    what,
                    SimulationJudge.describe(rows),
                    hold.epoch,
                    Duration.ofNanos(process.nanoTime() - hold.leaseUntil));
        }
    }

    private void requireBounds(JudgedHold hold, List<DataChangeRecord> rows) {
        if (rows.size() > options.maxBatchSize() || hold.inCalls.size() + rows.size() > options.maxInflight()) {
            throw judge.violated(
                    Promise.BOUNDS,
                    "a call of %d changes of %s while %d are in calls",
                    rows.size(),
                    hold.token,
                    hold.inCalls.size());
        }
        if (ordering == Ordering.PARTITION && hold.calls > 0) {
            throw judge.violated(
                    Promise.ORDER,
                    "%s is consumed while a call of the same partition has not returned",
                    SimulationJudge.describe(rows));
        }
    }

    private void requireFirstTime(JudgedHold hold, SimulatedWorld.Change change) {
        if (hold.wasSettled(change.row())) {
            throw judge.violated(
                    Promise.ORDER,
                    "%s is consumed again, and %s had it as settled when it was acquired",
                    SimulationJudge.describe(change.row()),
                    hold.token);
        }
        if (!change.partition().token.equals(hold.token) || !hold.read.contains(change.identity())) {
            throw judge.violated(
                    Promise.ORDER, "%s is consumed and was not read", SimulationJudge.describe(change.row()));
        }
        if (hold.settled.contains(change.identity()) || hold.inCalls.contains(change.identity())) {
            throw judge.violated(
                    Promise.ORDER,
                    "%s is consumed again without a new lease of its partition",
                    SimulationJudge.describe(change.row()));
        }
    }

    /** Returns the time, on the machine's clock, at which the first of the leases ended; {@link Long#MAX_VALUE} if all last. */
    long lateSince(JudgedRun run, List<Delivery> deliveries) {
        return deliveries.stream()
                .map(delivery -> hold(run, delivery))
                .filter(hold -> hold.isOver(machine.now()))
                .mapToLong(JudgedHold::freeFrom)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private JudgedHold hold(JudgedRun run, SimulatedWorld.Change first, List<Delivery> deliveries) {
        JudgedHold latest = requireNonNull(run.holds.get(first.partition().token));
        if (deliveries.isEmpty()) {
            return latest;
        }
        Delivery delivery = deliveries.getFirst();
        judge.shares.requireSettledBefore(delivery.lowWatermark());
        return hold(run, delivery);
    }

    private JudgedHold hold(JudgedRun run, Delivery delivery) {
        return run.allHolds.stream()
                .filter(hold -> hold.token.equals(delivery.partition()) && hold.epoch == delivery.epoch())
                .findFirst()
                .orElseThrow(() -> judge.violated(
                        Promise.ONE_OWNER, "a delivery under epoch %d, which was not acquired", delivery.epoch()));
    }

    /** Everything that the change must not overtake has to be settled, here or for good; or precede it in its call. */
    void requireTurn(
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
                if (skippedHere || (!judge.isDurable(earlier) && !run.settled.contains(earlier.identity()))) {
                    throw judge.violated(
                            Promise.ORDER,
                            "%s overtakes %s of key %s",
                            SimulationJudge.describe(change.row()),
                            SimulationJudge.describe(earlier.row()),
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
                    throw judge.violated(
                            Promise.ORDER, "%s overtakes %s", SimulationJudge.describe(change.row()), earlier);
                }
            }
        }
    }

    private void requireFreeKeys(JudgedHold hold, SimulatedWorld.Change change) {
        if (ordering == Ordering.NONE) {
            return;
        }
        boolean late = hold.isStale(machine.now());
        for (RecordKey key : change.keys().keySet()) {
            for (JudgedHold busy : busyKeys.getOrDefault(key, Set.of())) {
                if (busy.equals(hold) || (!late && !busy.isStale(machine.now()))) {
                    throw judge.violated(
                            Promise.ORDER,
                            "%s is consumed while another change of key %s is",
                            SimulationJudge.describe(change.row()),
                            key.primaryKey());
                }
            }
            // A key parked by a former owner that no process fences is known only to the owner after the next. A key
            // parked in
            // time is known to the owner of each partition that it moves to.
            Parked parked = parkedKeys.get(key);
            if (parked != null
                    && (parked.by.equals(hold)
                            || parked.at <= hold.acquiredAt
                            || (!late && !parked.late && !parked.by.token.equals(hold.token)))) {
                throw judge.violated(
                        Promise.ORDER,
                        "%s is consumed, and key %s is parked",
                        SimulationJudge.describe(change.row()),
                        key.primaryKey());
            }
        }
    }

    void parked(JudgedHold hold, SimulatedWorld.Change change) {
        Parked parked = new Parked(hold, machine.now(), hold.isStale(machine.now()));
        change.keys().keySet().forEach(key -> parkedKeys.putIfAbsent(key, parked));
    }

    /** The change is done with, while others of its call are still on their way. */
    void left(JudgedHold hold, SimulatedWorld.Change change, List<SimulatedWorld.Change> stillOpen) {
        hold.inCalls.remove(change.identity());
        for (RecordKey key : change.keys().keySet()) {
            if (stillOpen.stream().noneMatch(open -> open.keys().containsKey(key))) {
                busyKeys.getOrDefault(key, new LinkedHashSet<>()).remove(hold);
            }
        }
    }

    /** The call has ended, however. */
    void ended(SimulatedProcess process, JudgedCall call) {
        judge.run(process).calls--;
        for (JudgedHold hold : new LinkedHashSet<>(call.holds())) {
            hold.calls--;
            call.open(hold).forEach(change -> left(hold, change, List.of()));
        }
    }

    /** Nothing of the process is on its way any more. */
    void gone(JudgedRun run) {
        busyKeys.values().forEach(holds -> holds.removeAll(run.allHolds));
    }
}
