package dev.spream.core.partition;

import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Storages with one defect each, such as real ones had. */
final class ForgetfulStorages {
    private ForgetfulStorages() {}

    /** Blind writes: every writer is taken for the present owner. */
    static final class ForgetsEpochs extends ForwardingStorage {
        ForgetsEpochs(PartitionStorage target) {
            super(target);
        }

        private PartitionLease present(PartitionLease lease) {
            return ForgetfulStorages.present(target, lease);
        }

        @Override
        public boolean markRunning(PartitionLease lease) {
            return target.markRunning(present(lease));
        }

        @Override
        public Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
            return target.renew(leases.stream().map(this::present).toList(), leaseTime);
        }

        @Override
        public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
            return target.addChildren(present(parent), children);
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            return target.advanceWatermarks(advances.stream()
                    .map(advance ->
                            new WatermarkAdvance(present(advance.lease()), advance.watermark(), advance.moveOuts()))
                    .toList());
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.waitForMoveIn(present(lease), moveIn);
        }

        @Override
        public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
            return target.acceptGap(present(lease), gap);
        }
    }

    /** The lease of the present owner. */
    static PartitionLease present(PartitionStorage storage, PartitionLease lease) {
        return storage.lineage()
                .partition(lease.token())
                .filter(stored -> stored.owner().isPresent())
                .map(stored -> new PartitionLease(
                        lease.token(), stored.owner().orElseThrow(), stored.epoch(), lease.watermark()))
                .orElse(lease);
    }

    /** Corrects without an audit line. */
    static final class ForgetsTheAudit extends ForwardingStorage {
        ForgetsTheAudit(PartitionStorage target) {
            super(target);
        }

        @Override
        public List<AuditedCorrection> corrections() {
            return List.of();
        }
    }

    /** Plans corrections, and stores none of the partitions that they change. */
    static final class CorrectsTheRecordOnly extends ForwardingStorage {
        CorrectsTheRecordOnly(PartitionStorage target) {
            super(target);
        }

        @Override
        public CorrectionOutcome correct(Correction correction, CorrectionAct act) {
            return target.subscription()
                    .map(stored -> correction.plan(stored, target.lineage(), target.proofs(), target.workers()))
                    .orElseGet(CorrectionOutcome::nothingStored);
        }
    }

    /** Corrects while a worker is registered that holds no partition. */
    static final class CorrectsBesideWorkers extends ForwardingStorage {
        CorrectsBesideWorkers(PartitionStorage target) {
            super(target);
        }

        @Override
        public CorrectionOutcome correct(Correction correction, CorrectionAct act) {
            target.workers().forEach(registered -> target.unregisterWorker(registered.worker()));
            return target.correct(correction, act);
        }
    }

    /** Acquires without comparing the epoch of the claim. */
    static final class AcquiresBlindly extends ForwardingStorage {
        AcquiresBlindly(PartitionStorage target) {
            super(target);
        }

        @Override
        public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
            return target.acquire(
                    worker,
                    claims.stream()
                            .flatMap(claim -> target.lineage().partition(claim.token()).stream())
                            .map(PartitionClaim::of)
                            .toList(),
                    leaseTime);
        }
    }

    /** Acquires what is held under a live lease. */
    static final class IgnoresLiveLeases extends ForwardingStorage {
        IgnoresLiveLeases(PartitionStorage target) {
            super(target);
        }

        @Override
        public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
            for (PartitionClaim claim : claims) {
                target.lineage()
                        .partition(claim.token())
                        .filter(PartitionMetadata::leaseLive)
                        .ifPresent(held -> target.release(List.of(new PartitionLease(
                                held.token(), held.owner().orElseThrow(), held.epoch(), held.watermark()))));
            }
            return target.acquire(worker, claims, leaseTime);
        }
    }

    /** Says that it stored watermarks, and did not. */
    static final class ForgetsWatermarks extends ForwardingStorage {
        ForgetsWatermarks(PartitionStorage target) {
            super(target);
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            return Set.of();
        }
    }

    /** Stores the last watermark written, also where it is an earlier one. */
    static final class MovesWatermarksBack extends ForwardingStorage {
        private final Map<PartitionToken, Instant> last = new HashMap<>();

        MovesWatermarksBack(PartitionStorage target) {
            super(target);
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            Set<PartitionToken> lost = target.advanceWatermarks(advances);
            advances.stream()
                    .filter(advance -> !lost.contains(advance.lease().token()))
                    .forEach(advance -> last.put(advance.lease().token(), advance.watermark()));
            return lost;
        }

        @Override
        public Lineage lineage() {
            return mapped(
                    target.lineage(),
                    partition -> last.containsKey(partition.token())
                            ? withWatermark(
                                    partition, later(last.getOrDefault(partition.token(), Instant.MIN), partition))
                            : partition);
        }

        private static Instant later(Instant watermark, PartitionMetadata partition) {
            return watermark.isBefore(partition.startTimestamp()) ? partition.startTimestamp() : watermark;
        }
    }

    /** Steps over a gap and does not say so. */
    static final class ForgetsGaps extends ForwardingStorage {
        ForgetsGaps(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
            return target.advanceWatermarks(List.of(new WatermarkAdvance(lease, gap.to())))
                    .isEmpty();
        }
    }

    /** Accepts every gap, wherever it starts, and so steps over what was not lost. */
    static final class AcceptsGapsAnywhere extends ForwardingStorage {
        AcceptsGapsAnywhere(PartitionStorage target) {
            super(target);
        }

        @Override
        public synchronized boolean acceptGap(PartitionLease lease, PartitionGap gap) {
            Instant watermark = target.lineage()
                    .partition(lease.token())
                    .map(PartitionMetadata::watermark)
                    .orElse(gap.from());
            return !watermark.isBefore(gap.to()) || target.acceptGap(lease, new PartitionGap(watermark, gap.to()));
        }
    }

    /** Removes partitions together with their gaps. */
    static final class ForgetsGapsOfProofs extends ForwardingStorage {
        ForgetsGapsOfProofs(PartitionStorage target) {
            super(target);
        }

        @Override
        public List<FinishedPartition> proofs() {
            return target.proofs().stream()
                    .map(proof -> new FinishedPartition(
                            proof.token(),
                            proof.parentTokens(),
                            proof.startTimestamp(),
                            proof.endProof(),
                            proof.finishedAt(),
                            List.of()))
                    .toList();
        }
    }

    /** Forgets every proof of its age, although some may be named again, or show what no other does. */
    static final class ForgetsAnyProof extends ForwardingStorage {
        private final Set<PartitionToken> forgotten = new HashSet<>();

        ForgetsAnyProof(PartitionStorage target) {
            super(target);
        }

        @Override
        public int forgetProofs(Instant finishedBefore) {
            target.forgetProofs(finishedBefore);
            return (int) target.proofs().stream()
                    .filter(proof -> proof.finishedAt().isBefore(finishedBefore))
                    .filter(proof -> forgotten.add(proof.token()))
                    .count();
        }

        @Override
        public List<FinishedPartition> proofs() {
            return target.proofs().stream()
                    .filter(proof -> !forgotten.contains(proof.token()))
                    .toList();
        }
    }

    /** Forgets proofs, whatever their age. */
    static final class ForgetsYoungProofs extends ForwardingStorage {
        ForgetsYoungProofs(PartitionStorage target) {
            super(target);
        }

        @Override
        public int forgetProofs(Instant finishedBefore) {
            return target.forgetProofs(Instant.MAX);
        }
    }

    /** Forgets proofs, and that it did. */
    static final class ForgetsTheForgotten extends ForwardingStorage {
        ForgetsTheForgotten(PartitionStorage target) {
            super(target);
        }

        @Override
        public Optional<SubscriptionRecord> subscription() {
            return target.subscription().map(stored -> stored.withForgotten(Optional.empty()));
        }
    }

    /** Keeps all proofs, and says that some were forgotten. */
    static final class KeepsForgottenProofs extends ForwardingStorage {
        private List<FinishedPartition> proofs = List.of();

        KeepsForgottenProofs(PartitionStorage target) {
            super(target);
        }

        @Override
        public int forgetProofs(Instant finishedBefore) {
            proofs = target.proofs();
            return target.forgetProofs(finishedBefore);
        }

        @Override
        public List<FinishedPartition> proofs() {
            return proofs.isEmpty() ? target.proofs() : proofs;
        }
    }

    /** Stores a child again that the other parent has stored before: INSERT OR UPDATE. */
    static final class OverwritesChildren extends ForwardingStorage {
        private final Set<PartitionToken> overwritten = new HashSet<>();

        OverwritesChildren(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
            Lineage before = target.lineage();
            boolean added = target.addChildren(parent, children);
            children.childPartitions().stream()
                    .map(child -> new PartitionToken(child.token()))
                    .filter(token -> added && before.partition(token).isPresent())
                    .forEach(overwritten::add);
            return added;
        }

        @Override
        public Lineage lineage() {
            return mapped(
                    target.lineage(),
                    partition -> overwritten.contains(partition.token())
                            ? PartitionMetadata.created(
                                    partition.token(),
                                    partition.parentTokens(),
                                    partition.startTimestamp(),
                                    partition.createdAt())
                            : partition);
        }
    }

    /** Stores the children of a record one by one, and looks at the lease only where a child is new. */
    static final class AddsChildrenOneByOne extends ForwardingStorage {
        AddsChildrenOneByOne(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
            boolean added = true;
            for (ChildPartition child : children.childPartitions()) {
                PartitionToken token = new PartitionToken(child.token());
                added &= target.lineage().partition(token).isPresent()
                        || target.addChildren(
                                parent,
                                new ChildPartitionsRecord(
                                        children.startTimestamp(), children.recordSequence(), List.of(child)));
            }
            return added;
        }
    }

    /** Finishes without asking for the children. */
    static final class FinishesBlindly extends ForwardingStorage {
        FinishesBlindly(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
            return target.finish(
                    lease, watermark, new PartitionEnd(PartitionEnd.Kind.PARTITION_END, proof.at(), List.of()));
        }
    }

    /** Keeps microseconds, as a column type of many databases does. */
    static final class KeepsMicroseconds extends ForwardingStorage {
        KeepsMicroseconds(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
            return target.addChildren(
                    parent,
                    new ChildPartitionsRecord(
                            children.startTimestamp().truncatedTo(ChronoUnit.MICROS),
                            children.recordSequence(),
                            children.childPartitions()));
        }

        @Override
        public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
            return target.acceptGap(lease, new PartitionGap(gap.from(), gap.to().truncatedTo(ChronoUnit.MICROS)));
        }
    }

    /** Keeps 255 characters of a token. */
    static final class CutsTokens extends ForwardingStorage {
        CutsTokens(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
            return target.addChildren(
                    parent,
                    new ChildPartitionsRecord(
                            children.startTimestamp(),
                            children.recordSequence(),
                            children.childPartitions().stream()
                                    .map(child -> new ChildPartition(cut(child.token()), child.parentTokens()))
                                    .toList()));
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.waitForMoveIn(lease, new MoveIn(moveIn.timestamp(), cut(moveIn.sources())));
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            return target.advanceWatermarks(advances.stream()
                    .map(advance -> new WatermarkAdvance(
                            advance.lease(),
                            advance.watermark(),
                            advance.moveOuts()
                                    .map(moved -> new MoveOuts(moved.recordSequence(), cut(moved.destinations())))))
                    .toList());
        }
    }

    private static List<PartitionToken> cut(List<PartitionToken> tokens) {
        return tokens.stream()
                .map(token -> new PartitionToken(cut(token.value())))
                .toList();
    }

    private static String cut(String token) {
        return token.substring(0, Math.min(255, token.length()));
    }

    /** Stores the record without the query of its snapshot. */
    static final class ForgetsSnapshots extends ForwardingStorage {
        ForgetsSnapshots(PartitionStorage target) {
            super(target);
        }

        @Override
        public SubscriptionRecord openSubscription(SubscriptionRecord requested) {
            return target.openSubscription(new SubscriptionRecord(
                    requested.streamName(),
                    requested.startTimestamp(),
                    requested.endTimestamp(),
                    requested.heartbeatInterval(),
                    requested.partitionMode(),
                    requested.completed()));
        }
    }

    /** Removes without leaving a proof. */
    static final class ForgetsProofs extends ForwardingStorage {
        ForgetsProofs(PartitionStorage target) {
            super(target);
        }

        @Override
        public List<FinishedPartition> proofs() {
            return List.of();
        }
    }

    /** Cannot tell a completed subscription from one that never started. */
    static final class ForgetsCompletion extends ForwardingStorage {
        ForgetsCompletion(PartitionStorage target) {
            super(target);
        }

        @Override
        public Optional<SubscriptionRecord> subscription() {
            return target.subscription().filter(subscription -> !subscription.completed());
        }
    }

    /** Drops the owner's registration and leases together. */
    static final class ReleasesUnregistered extends ForwardingStorage {
        ReleasesUnregistered(PartitionStorage target) {
            super(target);
        }

        @Override
        public void unregisterWorker(WorkerId worker) {
            target.unregisterWorker(worker);
            target.lineage().partitions().stream()
                    .filter(partition -> partition.owner().equals(Optional.of(worker)))
                    .map(held -> new PartitionLease(held.token(), worker, held.epoch(), held.watermark()))
                    .forEach(lease -> target.release(List.of(lease)));
        }
    }

    static final class HidesFinishedParents extends ForwardingStorage {
        HidesFinishedParents(PartitionStorage target) {
            super(target);
        }

        @Override
        public Lineage frontier() {
            Lineage frontier = target.frontier();
            return Lineage.of(
                    frontier.partitions().stream()
                            .filter(partition -> !partition.isFinished())
                            .toList(),
                    frontier.readAt());
        }
    }

    static final class ShowsWholeLineage extends ForwardingStorage {
        ShowsWholeLineage(PartitionStorage target) {
            super(target);
        }

        @Override
        public Lineage frontier() {
            return target.lineage();
        }
    }

    /** Looks that are not complete, and seem to be others. */
    static final class ForgetsInLooks extends ForwardingStorage {
        private final UnaryOperator<FrontierChanges> spoiler;

        ForgetsInLooks(PartitionStorage target, UnaryOperator<FrontierChanges> spoiler) {
            super(target);
            this.spoiler = spoiler;
        }

        @Override
        public FrontierChanges frontierSince(Optional<String> since, Set<PartitionToken> watched) {
            return spoiler.apply(target.frontierSince(since, watched));
        }
    }

    static FrontierChanges looking(FrontierChanges look, Lineage partitions) {
        return look.complete() && look.partitions().partitions().size() < 2
                ? look
                : new FrontierChanges(false, partitions, look.asOf(), look.mark(), look.workers());
    }

    static FrontierChanges looking(FrontierChanges look, LiveWorkers workers) {
        return new FrontierChanges(look.complete(), look.partitions(), look.asOf(), look.mark(), workers);
    }

    static final class KeepsExpiredLeases extends ForwardingStorage {
        KeepsExpiredLeases(PartitionStorage target) {
            super(target);
        }

        @Override
        public void releaseExpired(Collection<PartitionLease> leases) {}
    }

    static final class ReleasesLiveLeases extends ForwardingStorage {
        ReleasesLiveLeases(PartitionStorage target) {
            super(target);
        }

        @Override
        public void releaseExpired(Collection<PartitionLease> leases) {
            target.release(leases);
        }
    }

    private static Lineage mapped(Lineage lineage, UnaryOperator<PartitionMetadata> change) {
        return Lineage.of(lineage.partitions().stream().map(change).toList(), lineage.readAt());
    }

    private static PartitionMetadata withWatermark(PartitionMetadata partition, Instant watermark) {
        return new PartitionMetadata(
                partition.token(),
                partition.parentTokens(),
                partition.startTimestamp(),
                partition.state(),
                watermark,
                partition.epoch(),
                partition.owner(),
                partition.leaseUntil(),
                partition.leaseLive(),
                partition.endProof(),
                partition.createdAt(),
                partition.scheduledAt(),
                partition.runningAt(),
                partition.finishedAt(),
                partition.gaps(),
                partition.moveIn(),
                partition.moveOuts());
    }
}
