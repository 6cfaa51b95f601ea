package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of the {@link SimulationJudge} that checks leases over all processes: no process acquires a partition that
 * another one still holds by the storage's clock, a write under an old epoch changes nothing, and a released partition
 * is not being consumed.
 */
final class JudgedLeases {
    /** More than any history needs. */
    private static final int MOST_EPOCHS = 300;

    private final SimulationJudge judge;
    private final JudgedShares shares;
    private final SimulatedWorld world;
    private final PartitionStorage surviving;
    private final SimulatedMachine machine;
    private final SimulationTally tally;

    /** The last process that acquired each partition. */
    private final Map<PartitionToken, JudgedHold> latest = new HashMap<>();

    private final Map<PartitionToken, Integer> times = new HashMap<>();
    private final Set<PartitionToken> finished = new HashSet<>();

    /** The partitions that have stored a wait for moved keys. */
    private final Set<PartitionToken> waited = new HashSet<>();

    /** Since when the parents of each partition are finished, on the machine's clock. */
    private final Map<PartitionToken, Long> openSince = new HashMap<>();

    /** The latest time at which a partition became free that was acquired again. */
    private long replacedAt;

    JudgedLeases(
            SimulationJudge judge,
            JudgedShares shares,
            SimulatedWorld world,
            PartitionStorage surviving,
            SimulatedMachine machine,
            SimulationTally tally) {
        this.judge = judge;
        this.shares = shares;
        this.world = world;
        this.surviving = surviving;
        this.machine = machine;
        this.tally = tally;
    }

    /** A call is about to have its effect. What has to be the same afterwards, if the call comes under an old epoch. */
    List<PartitionMetadata> before(JudgedRun run, String call, List<Object> arguments) {
        List<PartitionLease> leases = leasesOf(arguments);
        if (call.equals("release")) {
            if (leases.isEmpty()) {
                throw judge.violated(Promise.PROGRESS, "%s calls the storage to release nothing", run.process);
            }
            leases.forEach(lease -> releasing(run, lease));
        }
        return leases.stream().allMatch(this::isLatest) ? List.of() : untouchable(leases);
    }

    private void releasing(JudgedRun run, PartitionLease lease) {
        JudgedHold hold = latest.get(lease.token());
        if (hold == null || !hold.isUnder(lease) || hold.left) {
            return;
        }
        if (hold.calls > 0) {
            throw judge.violated(
                    Promise.ONE_OWNER, "%s is given back while %s are being consumed", lease, hold.inCalls);
        }
        shares.releasing(run, hold);
    }

    /** An operator, or a worker after an added snapshot, has written partitions. */
    void corrected(List<PartitionMetadata> written) {
        written.forEach(partition -> {
            if (finished.remove(partition.token())) {
                Optional.ofNullable(world.partition(partition.token())).stream()
                        .flatMap(reopened -> reopened.children().stream())
                        .forEach(openSince::remove); // a child is stored when its parent has really ended
            }
            openSince.put(partition.token(), machine.now());
        });
        shares.disturbed();
        shares.changed();
    }

    private boolean isLatest(PartitionLease lease) {
        JudgedHold hold = latest.get(lease.token());
        return hold != null && hold.isUnder(lease);
    }

    /** All that is stored, but for what a call may change under those of its leases that are the latest. */
    private List<PartitionMetadata> untouchable(List<PartitionLease> leases) {
        Set<PartitionToken> touchable = new HashSet<>();
        leases.stream().filter(this::isLatest).forEach(lease -> touchable.add(lease.token()));
        return surviving.lineage().partitions().stream()
                .filter(partition -> !touchable.contains(partition.token()))
                .toList();
    }

    /** A call has had its effect. */
    void after(
            JudgedRun run,
            String call,
            List<Object> arguments,
            Object result,
            long requestedAt,
            List<PartitionMetadata> before) {
        List<PartitionLease> leases = leasesOf(arguments);
        requireUntouched(run, call, leases, before);
        switch (call) {
            case "acquire" -> {
                for (Object acquired : (List<?>) result) {
                    acquired(run, (PartitionLease) acquired, requestedAt, nanos(arguments.get(2)));
                }
            }
            case "renew" -> {
                shares.renewed(run);
                leases.stream()
                        .filter(lease -> !((Set<?>) result).contains(lease.token()))
                        .forEach(lease -> renewed(run, lease, requestedAt, nanos(arguments.get(1))));
            }
            case "advanceWatermarks" ->
                leases.stream()
                        .filter(lease -> !((Set<?>) result).contains(lease.token()))
                        .forEach(lease -> requireLatest(run, call, lease));
            case "markRunning" -> accepted(run, call, leases.getFirst(), result);
            case "waitForMoveIn" -> {
                if (accepted(run, call, leases.getFirst(), result)) {
                    waited.add(leases.getFirst().token());
                }
            }
            case "addChildren" -> {
                if (accepted(run, call, leases.getFirst(), result)
                        && (world.isMutable() || leases.getFirst().token().isRoot())) {
                    shares.changed();
                    SimulatedPartition.started((ChildPartitionsRecord) arguments.get(1))
                            .forEach(child -> openSince.putIfAbsent(child, machine.now()));
                }
            }
            case "finish" -> {
                if (accepted(run, call, leases.getFirst(), result)) {
                    finished(leases.getFirst().token());
                }
            }
            case "openSubscription" -> {
                run.opened = true;
                if (openSince.putIfAbsent(PartitionToken.ROOT, machine.now()) == null) {
                    shares.opened();
                }
            }
            case "releaseExpired" ->
                leases.stream()
                        .flatMap(lease -> run.hold(lease).stream())
                        .filter(hold -> hold.isOver(machine.now()))
                        .forEach(hold -> {
                            hold.leave(machine.now());
                            hold.given = true;
                        });
            case "registerWorker" -> {
                run.registeredUntil = machine.now() + nanos(arguments.get(4));
                shares.registered(run);
            }
            case "unregisterWorker" -> shares.leaving(run);
            case "frontierSince" -> shares.looked();
            default -> {}
        }
        if (call.equals("release") || (call.equals("finish") && Boolean.TRUE.equals(result))) {
            leases.forEach(lease -> left(run, lease));
        }
    }

    private void requireUntouched(
            JudgedRun run, String call, List<PartitionLease> leases, List<PartitionMetadata> before) {
        if (before.isEmpty()) {
            return;
        }
        tally.count(SimulationEvent.STALE_WRITE);
        List<PartitionMetadata> after = untouchable(leases);
        if (!after.equals(before)) {
            throw judge.violated(
                    Promise.ONE_OWNER,
                    "%s by %s under %s, which is not the latest, changes %s to %s",
                    call,
                    run.process,
                    leases,
                    before,
                    after);
        }
    }

    private boolean accepted(JudgedRun run, String call, PartitionLease lease, Object result) {
        if ((Boolean) result) {
            requireLatest(run, call, lease);
        }
        return (Boolean) result;
    }

    private void finished(PartitionToken token) {
        shares.changed();
        if (!finished.add(token)) {
            return;
        }
        SimulatedPartition partition = world.partition(token);
        if (partition == null || world.isMutable()) {
            return;
        }
        for (PartitionToken child : partition.children()) {
            if (finished.containsAll(requireNonNull(world.partition(child)).parents)) {
                openSince.putIfAbsent(child, machine.now());
            }
        }
    }

    private void requireLatest(JudgedRun run, String call, PartitionLease lease) {
        if (!isLatest(lease)) {
            throw judge.violated(
                    Promise.ONE_OWNER,
                    "%s by %s under %s is accepted, and is not the latest",
                    call,
                    run.process,
                    lease);
        }
    }

    private void acquired(JudgedRun run, PartitionLease lease, long requestedAt, long leaseTime) {
        JudgedHold before = latest.get(lease.token());
        if (before != null && !before.isOver(machine.now())) {
            throw judge.violated(
                    Promise.ONE_OWNER,
                    "%s acquires %s, and its lease of epoch %d lasts for another %s",
                    run.process,
                    lease,
                    before.epoch,
                    Duration.ofNanos(before.storedUntil - machine.now()));
        }
        if (before != null) {
            if (before.epoch >= lease.epoch()) {
                throw judge.violated(Promise.ONE_OWNER, "%s follows epoch %d", lease, before.epoch);
            }
            tally.count(before.left ? SimulationEvent.PASSED_ON : SimulationEvent.TAKEN_OVER);
        }
        if (lease.moveOuts().isPresent()) {
            tally.count(SimulationEvent.RESUMED_AT_MOVE_OUT);
        }
        if (times.merge(lease.token(), 1, Integer::sum) > MOST_EPOCHS) {
            throw judge.violated(Promise.PROGRESS, "%s is acquired over and over: %s", lease.token(), lease);
        }
        JudgedHold hold = new JudgedHold(run, lease, requestedAt + leaseTime, machine.now() + leaseTime, machine.now());
        shares.acquiring(
                run, hold, freeSince(lease.token(), before), before == null ? machine.now() : before.freeFrom());
        if (before != null) {
            replacedAt = Math.max(replacedAt, before.freeFrom());
            before.leave(machine.now());
        }
        latest.put(lease.token(), hold);
        run.holds.put(lease.token(), hold);
        run.allHolds.add(hold);
        shares.acquired();
    }

    /** One that has waited for moved keys may have come free just now. */
    private long freeSince(PartitionToken token, @Nullable JudgedHold before) {
        if (waited.contains(token)) {
            return machine.now();
        }
        long since = Math.max(before == null ? 0 : freeFrom(before), openSince.getOrDefault(token, machine.now()));
        if (!judge.transactions.isOn()) {
            return since;
        }
        // Another worker takes all or none: it waits until the former one holds nothing.
        return latest.values().stream()
                .filter(hold -> hold.isOver(machine.now()))
                .mapToLong(this::freeFrom)
                .reduce(Math.max(since, replacedAt), Math::max);
    }

    /**
     * Others leave a partition to its owner while that is registered: it tells of leases that it does not renew. One that
     * died does not tell of a claim whose answer was lost.
     */
    private long freeFrom(JudgedHold before) {
        return before.left || shares.isMember(before.owner)
                ? before.freeFrom()
                : Math.max(before.freeFrom(), before.owner.registeredUntil);
    }

    private void renewed(JudgedRun run, PartitionLease lease, long requestedAt, long leaseTime) {
        requireLatest(run, "renew", lease);
        run.hold(lease).ifPresent(hold -> {
            hold.leaseUntil = requestedAt + leaseTime;
            hold.storedUntil = machine.now() + leaseTime;
        });
    }

    private void left(JudgedRun run, PartitionLease lease) {
        run.hold(lease).ifPresent(hold -> {
            if (!hold.left) {
                hold.leave(machine.now());
            }
            hold.released = true;
            hold.given = true;
        });
    }

    private static List<PartitionLease> leasesOf(List<Object> arguments) {
        List<PartitionLease> leases = new ArrayList<>();
        for (Object argument : arguments) {
            switch (argument) {
                case PartitionLease lease -> leases.add(lease);
                case WatermarkAdvance advance -> leases.add(advance.lease());
                case Collection<?> several -> leases.addAll(leasesOf(List.copyOf(several)));
                default -> {}
            }
        }
        return leases;
    }

    private static long nanos(Object duration) {
        return ((Duration) duration).toNanos();
    }
}
