package dev.spream.core.partition;

import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Hands every call on; extended by storages that spoil some. */
class ForwardingStorage implements PartitionStorage {
    final PartitionStorage target;

    ForwardingStorage(PartitionStorage target) {
        this.target = target;
    }

    @Override
    public SubscriptionRecord openSubscription(SubscriptionRecord requested) {
        return target.openSubscription(requested);
    }

    @Override
    public Optional<SubscriptionRecord> subscription() {
        return target.subscription();
    }

    @Override
    public Optional<Instant> createdAt() {
        return target.createdAt();
    }

    @Override
    public boolean completeIfAllFinished() {
        return target.completeIfAllFinished();
    }

    @Override
    public Lineage lineage() {
        return target.lineage();
    }

    @Override
    public Lineage frontier() {
        return target.frontier();
    }

    @Override
    public FrontierChanges frontierSince(Optional<String> since, Set<PartitionToken> watched) {
        return target.frontierSince(since, watched);
    }

    @Override
    public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
        return target.acquire(worker, claims, leaseTime);
    }

    @Override
    public boolean markRunning(PartitionLease lease) {
        return target.markRunning(lease);
    }

    @Override
    public Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
        return target.renew(leases, leaseTime);
    }

    @Override
    public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        return target.addChildren(parent, children);
    }

    @Override
    public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
        return target.advanceWatermarks(advances);
    }

    @Override
    public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        return target.waitForMoveIn(lease, moveIn);
    }

    @Override
    public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        return target.acceptGap(lease, gap);
    }

    @Override
    public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
        return target.finish(lease, watermark, proof);
    }

    @Override
    public void release(Collection<PartitionLease> leases) {
        target.release(leases);
    }

    @Override
    public void releaseExpired(Collection<PartitionLease> leases) {
        target.releaseExpired(leases);
    }

    @Override
    public void registerWorker(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime) {
        target.registerWorker(worker, capacity, wholeTransactions, progress, aliveTime);
    }

    @Override
    public void unregisterWorker(WorkerId worker) {
        target.unregisterWorker(worker);
    }

    @Override
    public List<WorkerRegistration> workers() {
        return target.workers();
    }

    @Override
    public int expireWorkers() {
        return target.expireWorkers();
    }

    @Override
    public int cleanUp(Instant finishedBefore) {
        return target.cleanUp(finishedBefore);
    }

    @Override
    public int forgetProofs(Instant finishedBefore) {
        return target.forgetProofs(finishedBefore);
    }

    @Override
    public List<FinishedPartition> proofs() {
        return target.proofs();
    }

    @Override
    public CorrectionOutcome correct(Correction correction, CorrectionAct act) {
        return target.correct(correction, act);
    }

    @Override
    public List<AuditedCorrection> corrections() {
        return target.corrections();
    }

    @Override
    public void close() {
        target.close();
    }
}
