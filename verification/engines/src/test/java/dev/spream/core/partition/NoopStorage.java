package dev.spream.core.partition;

import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A storage that accepts everything and stores nothing. */
final class NoopStorage implements PartitionStorage {
    @Override
    public SubscriptionRecord openSubscription(SubscriptionRecord requested) {
        return requested;
    }

    @Override
    public Optional<SubscriptionRecord> subscription() {
        return Optional.empty();
    }

    @Override
    public Optional<Instant> createdAt() {
        return Optional.empty();
    }

    @Override
    public boolean completeIfAllFinished() {
        return false;
    }

    @Override
    public Lineage lineage() {
        return Lineage.of(List.of(), Instant.EPOCH);
    }

    @Override
    public Lineage frontier() {
        return lineage();
    }

    @Override
    public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
        return List.of();
    }

    @Override
    public boolean markRunning(PartitionLease lease) {
        return true;
    }

    @Override
    public Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
        return Set.of();
    }

    @Override
    public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        return true;
    }

    @Override
    public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
        return Set.of();
    }

    @Override
    public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        return true;
    }

    @Override
    public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        return true;
    }

    @Override
    public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
        return true;
    }

    @Override
    public void release(Collection<PartitionLease> leases) {}

    @Override
    public void registerWorker(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime) {}

    @Override
    public void unregisterWorker(WorkerId worker) {}

    @Override
    public List<WorkerRegistration> workers() {
        return List.of();
    }

    @Override
    public int expireWorkers() {
        return 0;
    }

    @Override
    public int cleanUp(Instant finishedBefore) {
        return 0;
    }

    @Override
    public int forgetProofs(Instant finishedBefore) {
        return 0;
    }

    @Override
    public List<FinishedPartition> proofs() {
        return List.of();
    }

    @Override
    public CorrectionOutcome correct(Correction correction, CorrectionAct act) {
        return CorrectionOutcome.nothingStored();
    }

    @Override
    public List<AuditedCorrection> corrections() {
        return List.of();
    }

    @Override
    public void close() {}
}
