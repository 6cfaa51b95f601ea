package dev.spream.api.plugin;

import dev.spream.core.partition.EndProof;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionProof;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A plug-in's storage, called in its scope. */
final class ScopedStorage implements PartitionStorage {
    private final PartitionStorage target;
    private final CallScope scope;
    private final Runnable closing;

    ScopedStorage(PartitionStorage target, CallScope scope) {
        this(target, scope, target::close);
    }

    /** @param closing what is done instead of closing the target */
    ScopedStorage(PartitionStorage target, CallScope scope, Runnable closing) {
        this.target = target;
        this.scope = scope;
        this.closing = closing;
    }

    @Override
    public SubscriptionRecord open(SubscriptionRecord requested) {
        return scope.call(() -> target.open(requested));
    }

    @Override
    public Optional<SubscriptionRecord> subscription() {
        return scope.call(target::subscription);
    }

    @Override
    public boolean completeIfAllFinished() {
        return scope.call(target::completeIfAllFinished);
    }

    @Override
    public Lineage lineage() {
        return scope.call(target::lineage);
    }

    @Override
    public Lineage frontier() {
        return scope.call(target::frontier);
    }

    @Override
    public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
        return scope.call(() -> target.acquire(worker, claims, leaseTime));
    }

    @Override
    public boolean toRunning(PartitionLease lease) {
        return scope.call(() -> target.toRunning(lease));
    }

    @Override
    public Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
        return scope.call(() -> target.renew(leases, leaseTime));
    }

    @Override
    public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        return scope.call(() -> target.addChildren(parent, children));
    }

    @Override
    public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
        return scope.call(() -> target.advanceWatermarks(advances));
    }

    @Override
    public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        return scope.call(() -> target.acceptGap(lease, gap));
    }

    @Override
    public boolean finish(PartitionLease lease, Instant watermark, EndProof proof) {
        return scope.call(() -> target.finish(lease, watermark, proof));
    }

    @Override
    public void release(Collection<PartitionLease> leases) {
        scope.run(() -> target.release(leases));
    }

    @Override
    public void registerWorker(WorkerId worker, int capacity, Duration aliveTime) {
        scope.run(() -> target.registerWorker(worker, capacity, aliveTime));
    }

    @Override
    public void unregisterWorker(WorkerId worker) {
        scope.run(() -> target.unregisterWorker(worker));
    }

    @Override
    public List<WorkerRegistration> workers() {
        return scope.call(target::workers);
    }

    @Override
    public int expireWorkers() {
        return scope.call(target::expireWorkers);
    }

    @Override
    public int cleanUp(Instant finishedBefore) {
        return scope.call(() -> target.cleanUp(finishedBefore));
    }

    @Override
    public List<PartitionProof> proofs() {
        return scope.call(target::proofs);
    }

    @Override
    public void close() {
        scope.run(closing::run);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
