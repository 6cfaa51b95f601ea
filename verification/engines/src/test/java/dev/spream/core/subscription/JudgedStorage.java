package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.LineageFinding;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The part of the {@link SimulationJudge} that watches what is stored: watermarks, and proofs of ends. */
final class JudgedStorage {
    private final SimulationJudge judge;
    private final SimulatedWorld world;
    private final PartitionStorage surviving;
    private final SimulatedMachine machine;
    private final SubscriberOptions options;
    private final SimulationTally tally;
    private final JudgedLeases leases;
    private final Set<PartitionToken> finished = new HashSet<>();

    JudgedStorage(
            SimulationJudge judge,
            SimulatedWorld world,
            PartitionStorage surviving,
            SimulatedMachine machine,
            SubscriberOptions options,
            JudgedShares shares,
            SimulationTally tally) {
        this.judge = judge;
        this.world = world;
        this.surviving = surviving;
        this.machine = machine;
        this.options = options;
        this.tally = tally;
        this.leases = new JudgedLeases(judge, shares, world, surviving, machine, tally);
    }

    /** A call is about to have its effect; what it must not change. */
    List<PartitionMetadata> before(JudgedRun run, String call, List<Object> arguments) {
        switch (call) {
            case "advanceWatermarks" -> {
                for (Object argument : (Collection<?>) arguments.getFirst()) {
                    WatermarkAdvance advance = (WatermarkAdvance) argument;
                    requireSettled(run, advance);
                }
            }
            case "waitForMoveIn" ->
                judge.order.requireMovedIn((PartitionLease) arguments.get(0), (MoveIn) arguments.get(1));
            case "finish" ->
                requireProof(run, (PartitionLease) arguments.get(0), (Instant) arguments.get(1), (PartitionEnd)
                        arguments.get(2));
            default -> {}
        }
        return leases.before(run, call, arguments);
    }

    /** Returns whether the process holds a partition that waits for a move-in, as the storage has it. */
    boolean isInWait(JudgedRun run) {
        Lineage lineage = surviving.lineage();
        return run.holds.values().stream()
                .filter(hold -> !hold.left)
                .flatMap(hold -> lineage.partition(hold.token).stream())
                .anyMatch(stored -> !lineage.awaitedSources(stored).isEmpty());
    }

    private void requireSettled(JudgedRun run, WatermarkAdvance advance) {
        PartitionLease lease = advance.lease();
        Instant watermark = advance.watermark();
        for (SimulatedWorld.Change change : world.changesOf(lease.token())) {
            if (isCovered(change.row(), advance) && !judge.isDurable(change)) {
                throw judge.violated(
                        Promise.AT_LEAST_ONCE,
                        "the watermark of %s is stored as %s, and %s is not settled and flushed",
                        lease.token(),
                        watermark,
                        SimulationJudge.describe(change.row()));
            }
        }
        SimulatedPartition partition = world.partition(lease.token());
        if (watermark.isAfter(machine.instant())
                || (partition != null
                        && watermark.isAfter(partition.end)
                        && watermark.isAfter(judge.corrections.gapEnd(partition)))) {
            throw judge.violated(
                    Promise.AT_LEAST_ONCE,
                    "the watermark of %s is stored as %s, past what there is",
                    lease.token(),
                    watermark);
        }
        JudgedHold hold = run.hold(lease).orElseThrow();
        requireSettledHere(run, hold, advance);
        judge.order.requireOver(lease.token(), watermark);
        advance.moveOuts().ifPresent(moved -> judge.order.requireMovedOut(lease, watermark, moved));
        // Requests of a process may overtake each other; the storage keeps the later watermark.
        if (watermark.isAfter(hold.watermark)) {
            hold.watermark = watermark;
        }
    }

    private static boolean isCovered(DataChangeRecord row, WatermarkAdvance advance) {
        return row.commitTimestamp().isBefore(advance.watermark())
                || (row.commitTimestamp().equals(advance.watermark())
                        && advance.moveOuts()
                                .filter(moved -> row.recordSequence().compareTo(moved.recordSequence()) < 0)
                                .isPresent());
    }

    /** Checks that a process that stores a watermark has settled everything before it, from its start. */
    private void requireSettledHere(JudgedRun run, JudgedHold hold, WatermarkAdvance advance) {
        for (SimulatedWorld.Change change : world.changesOf(hold.token)) {
            boolean covered = !hold.wasSettled(change.row())
                    && !judge.corrections.isLost(change)
                    && isCovered(change.row(), advance);
            if (covered && !(hold.settled.contains(change.identity()) && run.durable.contains(change.identity()))) {
                throw judge.violated(
                        Promise.AT_LEAST_ONCE,
                        "%s stores the watermark of %s as %s under epoch %d, and has not settled and flushed %s",
                        run.process,
                        hold.token,
                        advance.watermark(),
                        hold.epoch,
                        SimulationJudge.describe(change.row()));
            }
        }
    }

    private void requireProof(JudgedRun run, PartitionLease lease, Instant watermark, PartitionEnd proof) {
        PartitionToken token = lease.token();
        requireSettled(run, new WatermarkAdvance(lease, watermark));
        Instant end = judge.corrections.endOf(lease);
        judge.order.requireAllOver(token, end);
        for (SimulatedWorld.Change change : world.changesOf(token)) {
            if (!judge.isDurable(change) && !change.row().commitTimestamp().isAfter(end)) {
                throw judge.violated(
                        Promise.AT_LEAST_ONCE,
                        "%s is finished, and %s is not settled and flushed",
                        token,
                        SimulationJudge.describe(change.row()));
            }
        }
        SimulatedPartition partition = world.partition(token);
        if (proof.kind() == PartitionEnd.Kind.RETENTION_LOST
                && partition != null
                && judge.corrections.endedInGap(partition)) {
            requireStored(token, proof.children());
            return;
        }
        List<PartitionToken> children = partition == null ? world.roots() : partition.children();
        boolean endsHere = partition == null || !partition.end.isAfter(end);
        PartitionEnd.Kind kind = !endsHere
                ? PartitionEnd.Kind.BOUNDED_END
                : partition != null && (world.isMutable() || token.isOfSnapshot())
                        ? PartitionEnd.Kind.PARTITION_END
                        : PartitionEnd.Kind.CHILD_PARTITIONS;
        if (kind != proof.kind()
                || (endsHere && !isProvenBy(proof, partition, children))
                || (kind == PartitionEnd.Kind.PARTITION_END && !proof.at().equals(requireNonNull(partition).end))
                || machine.instant().isBefore(proof.at())
                || (!endsHere && !machine.instant().isAfter(end))) {
            throw judge.violated(
                    Promise.PROVEN_END, "%s is finished by %s; it is %s", token, proof, String.valueOf(partition));
        }
        if (partition == null) {
            requireStored(token, children);
        } else if (endsHere) {
            requireStored(token, partition.startedAtEnd());
        }
        tally.count(
                switch (kind) {
                    case CHILD_PARTITIONS -> SimulationEvent.FINISHED_BY_CHILDREN;
                    case PARTITION_END -> SimulationEvent.FINISHED_BY_END_RECORD;
                    default -> SimulationEvent.FINISHED_AT_END;
                });
    }

    /** Keys that left in a gap are not read again with the end of the partition. */
    private boolean isProvenBy(
            PartitionEnd proof, @Nullable SimulatedPartition partition, List<PartitionToken> children) {
        boolean inGap = partition != null && world.isMutable() && judge.corrections.isSkipped(partition.end);
        return inGap
                ? children.containsAll(proof.children())
                : Set.copyOf(proof.children()).equals(Set.copyOf(children));
    }

    private void requireStored(PartitionToken parent, List<PartitionToken> children) {
        Set<PartitionToken> stored = new HashSet<>();
        surviving.lineage().partitions().forEach(partition -> stored.add(partition.token()));
        surviving.proofs().forEach(proof -> stored.add(proof.token()));
        stored.addAll(forgotten());
        for (PartitionToken child : children) {
            if (!stored.contains(child) && !judge.corrections.isNeverRead(child)) {
                throw judge.violated(
                        Promise.PROVEN_END, "%s is finished, and its child %s is not stored", parent, child);
            }
        }
    }

    void after(
            JudgedRun run,
            String call,
            List<Object> arguments,
            Object result,
            long requestedAt,
            List<PartitionMetadata> before) {
        leases.after(run, call, arguments, result, requestedAt, before);
        if (result instanceof CorrectionOutcome.Planned planned
                && !planned.plan().changesNothing()) {
            judge.corrections.readOn(planned.plan());
        }
        noteOrder(call, arguments, result);
        if (call.equals("cleanUp") && (Integer) result > 0) {
            tally.count(SimulationEvent.CLEANED_UP);
        }
        if (call.equals("forgetProofs") && (Integer) result > 0) {
            tally.count(SimulationEvent.PROOFS_FORGOTTEN);
        }
    }

    private void noteOrder(String call, List<Object> arguments, Object result) {
        switch (call) {
            case "advanceWatermarks" -> {
                for (Object argument : (Collection<?>) arguments.getFirst()) {
                    WatermarkAdvance advance = (WatermarkAdvance) argument;
                    if (!((Set<?>) result).contains(advance.lease().token())) {
                        judge.order.advanced(advance);
                    }
                }
            }
            case "acceptGap" -> {
                if ((Boolean) result) {
                    judge.corrections.lossAccepted(
                            ((PartitionLease) arguments.getFirst()).token(), (PartitionGap) arguments.get(1));
                }
            }
            case "addChildren" -> {
                if ((Boolean) result) {
                    judge.order.discovered(SimulatedPartition.started((ChildPartitionsRecord) arguments.get(1)));
                }
            }
            case "finish" -> {
                if ((Boolean) result) {
                    PartitionToken token = ((PartitionLease) arguments.getFirst()).token();
                    finished.add(token);
                    judge.order.finished(token);
                }
            }
            default -> {}
        }
    }

    /** Partitions were corrected. */
    void corrected(List<PartitionMetadata> written) {
        leases.corrected(written);
    }

    /** The stored lineage has no gap, at any time. */
    void verify() {
        Optional<SubscriptionRecord> subscription = surviving.subscription();
        if (subscription.isEmpty()) {
            return;
        }
        List<LineageFinding> findings = LineageCheck.check(subscription.get(), surviving.lineage(), surviving.proofs())
                .findings();
        if (!findings.isEmpty()) {
            throw judge.violated(Promise.PROVEN_END, "the stored lineage has findings: %s", findings);
        }
        tally.count(SimulationEvent.VERIFIED);
    }

    void completed() {
        Set<PartitionToken> left = new HashSet<>(world.reachable());
        for (PartitionMetadata partition : surviving.lineage().partitions()) {
            if (!partition.isFinished() || !left.remove(partition.token())) {
                throw judge.violated(Promise.PROVEN_END, "the subscription is completed, and %s is stored", partition);
            }
        }
        for (FinishedPartition proof : surviving.proofs()) {
            left.remove(proof.token());
        }
        left.removeAll(forgotten());
        if (!left.isEmpty()) {
            throw judge.violated(Promise.PROVEN_END, "the subscription is completed, and no process read %s", left);
        }
        if (options.endTimestamp().isEmpty()
                || surviving.subscription().stream().noneMatch(subscription -> subscription.completed())) {
            throw judge.violated(Promise.PROVEN_END, "the subscription is not stored as completed");
        }
    }

    /** Partitions whose proof may be forgotten. */
    private Set<PartitionToken> forgotten() {
        return surviving.subscription().flatMap(SubscriptionRecord::forgotten).isPresent() ? finished : Set.of();
    }

    /** A call that is on its way to the storage. */
    void asked(JudgedRun run, String call, List<Object> arguments) {
        if (call.equals("release")) {
            for (Object released : (Collection<?>) arguments.getFirst()) {
                PartitionLease lease = (PartitionLease) released;
                JudgedHold hold = run.holds.get(lease.token());
                if (hold != null && hold.epoch == lease.epoch()) {
                    hold.giving = true;
                }
            }
        }
    }
}
