package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A {@link PartitionStorage} in memory, for demos, tests, and readers that start from scratch each time. It is the
 * reference for the behaviour of the others.
 *
 * <p>Safe for use by many threads, and by several subscribers of one process.
 */
public final class InMemoryPartitionStorage implements PartitionStorage {
    private static final Comparator<PartitionMetadata> LINEAGE_ORDER =
            Comparator.comparing(PartitionMetadata::startTimestamp).thenComparing(PartitionMetadata::token);

    // All fields are guarded by this object's monitor; every method is short and does not block.
    private final InstantSource clock;
    private final Map<PartitionToken, StoredPartition> partitions = new TreeMap<>();
    private final Map<PartitionToken, FinishedPartition> proofs = new TreeMap<>();
    private final Map<WorkerId, StoredWorker> workers = new TreeMap<>(Comparator.comparing(WorkerId::value));
    private final List<AuditedCorrection> corrections = new ArrayList<>();
    private @Nullable SubscriptionRecord subscription;

    public InMemoryPartitionStorage() {
        this(InstantSource.system());
    }

    /** Creates a storage whose leases are measured on that clock. */
    public InMemoryPartitionStorage(InstantSource clock) {
        this.clock = requireNonNull(clock, "clock");
    }

    /**
     * Creates a storage with a subscription that was stored elsewhere. No partition has an owner.
     *
     * @param finished the proofs of partitions that clean-up removed
     */
    public static InMemoryPartitionStorage restored(
            InstantSource clock,
            SubscriptionRecord subscription,
            Collection<PartitionMetadata> partitions,
            Collection<FinishedPartition> finished) {
        InMemoryPartitionStorage storage = new InMemoryPartitionStorage(clock);
        storage.restore(requireNonNull(subscription, "subscription"), partitions, finished);
        return storage;
    }

    private synchronized void restore(
            SubscriptionRecord stored,
            Collection<PartitionMetadata> storedPartitions,
            Collection<FinishedPartition> finished) {
        subscription = stored;
        storedPartitions.forEach(partition -> partitions.put(partition.token(), StoredPartition.of(partition)));
        finished.forEach(proof -> proofs.put(proof.token(), proof));
    }

    @Override
    public synchronized SubscriptionRecord openSubscription(SubscriptionRecord requested) {
        SubscriptionRecord stored = subscription;
        if (stored != null) {
            return stored;
        }
        StoredPartition root = new StoredPartition(PartitionToken.ROOT, List.of(), requested.startTimestamp(), now());
        partitions.put(root.token, root);
        subscription = requested;
        return requested;
    }

    @Override
    public synchronized Optional<SubscriptionRecord> subscription() {
        return Optional.ofNullable(subscription);
    }

    @Override
    public synchronized boolean completeIfAllFinished() {
        SubscriptionRecord stored = subscription;
        if (stored == null || !partitions.values().stream().allMatch(StoredPartition::isFinished)) {
            return false;
        }
        subscription = stored.withCompleted(true);
        return true;
    }

    @Override
    public synchronized Lineage lineage() {
        return lineageOf(partitions.values());
    }

    @Override
    public synchronized Lineage frontier() {
        Set<PartitionToken> needed = neededByUnfinished();
        return lineageOf(partitions.values().stream()
                .filter(partition -> !partition.isFinished() || needed.contains(partition.token))
                .toList());
    }

    private Lineage lineageOf(Collection<StoredPartition> stored) {
        Instant now = now();
        return Lineage.of(
                stored.stream()
                        .map(partition -> partition.metadata(now))
                        .sorted(LINEAGE_ORDER)
                        .toList(),
                now);
    }

    @Override
    public synchronized List<PartitionLease> acquire(
            WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
        Instant now = now();
        List<PartitionLease> acquired = new ArrayList<>();
        for (PartitionClaim claim : claims) {
            StoredPartition partition = partitions.get(claim.token());
            if (partition != null && partition.isFree(now) && partition.epoch == claim.epoch()) {
                acquired.add(partition.acquire(worker, now, leaseTime));
            }
        }
        return List.copyOf(acquired);
    }

    @Override
    public synchronized boolean markRunning(PartitionLease lease) {
        StoredPartition partition = held(lease);
        if (partition == null || partition.state == PartitionState.FINISHED) {
            return false;
        }
        if (partition.state == PartitionState.SCHEDULED) {
            partition.become(PartitionState.RUNNING);
            partition.runningAt = now();
        }
        return true;
    }

    @Override
    public synchronized Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
        Set<PartitionToken> lost = new LinkedHashSet<>();
        for (PartitionLease lease : leases) {
            StoredPartition partition = held(lease);
            if (partition == null || partition.state == PartitionState.FINISHED) {
                lost.add(lease.token());
            } else {
                partition.leaseUntil = now().plus(leaseTime);
            }
        }
        return lost;
    }

    @Override
    public synchronized boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        StoredPartition partition = held(parent);
        if (partition == null || partition.state != PartitionState.RUNNING) {
            return false;
        }
        for (ChildPartition child : children.childPartitions()) {
            PartitionToken token = new PartitionToken(child.token());
            if (!proofs.containsKey(token)) {
                partitions.computeIfAbsent(
                        token,
                        t -> new StoredPartition(
                                t,
                                child.parentTokens().stream()
                                        .map(PartitionToken::new)
                                        .toList(),
                                children.startTimestamp(),
                                now()));
            }
        }
        return true;
    }

    @Override
    public synchronized Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
        Set<PartitionToken> lost = new LinkedHashSet<>();
        for (WatermarkAdvance advance : advances) {
            StoredPartition partition = held(advance.lease());
            if (partition == null || partition.state != PartitionState.RUNNING) {
                lost.add(advance.lease().token());
            } else {
                partition.advance(advance.watermark(), advance.moveOuts());
            }
        }
        return lost;
    }

    @Override
    public synchronized boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        StoredPartition partition = held(lease);
        if (partition == null || partition.state != PartitionState.RUNNING) {
            return false;
        }
        partition.moveIn = moveIn;
        return true;
    }

    @Override
    public synchronized boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        StoredPartition partition = held(lease);
        if (partition == null || partition.state != PartitionState.RUNNING) {
            return false;
        }
        partition.accept(gap);
        return true;
    }

    @Override
    public synchronized boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
        StoredPartition partition = held(lease);
        if (partition == null) {
            return false;
        }
        if (partition.state == PartitionState.FINISHED) {
            return true;
        }
        for (PartitionToken child :
                proof.kind() == PartitionEnd.Kind.PARTITION_END ? List.<PartitionToken>of() : proof.children()) {
            if (!partitions.containsKey(child) && !proofs.containsKey(child)) {
                throw new IllegalArgumentException("partition %s cannot finish: its child %s is not stored"
                        .formatted(lease.token().abbreviated(), child.abbreviated()));
            }
        }
        partition.become(PartitionState.FINISHED);
        partition.advance(watermark, Optional.empty());
        partition.endProof = proof;
        partition.finishedAt = now();
        partition.leaseUntil = null;
        return true;
    }

    @Override
    public synchronized void release(Collection<PartitionLease> leases) {
        for (PartitionLease lease : leases) {
            StoredPartition partition = held(lease);
            if (partition != null && partition.state != PartitionState.FINISHED) {
                partition.owner = null;
                partition.leaseUntil = null;
            }
        }
    }

    @Override
    public synchronized void registerWorker(
            WorkerId worker, int capacity, boolean wholeTransactions, Duration aliveTime) {
        Instant now = now();
        StoredWorker known = workers.get(worker);
        workers.put(
                worker,
                new StoredWorker(
                        capacity, wholeTransactions, known == null ? now : known.registeredAt(), now.plus(aliveTime)));
    }

    @Override
    public synchronized void unregisterWorker(WorkerId worker) {
        workers.remove(worker);
    }

    @Override
    public synchronized List<WorkerRegistration> workers() {
        Instant now = now();
        return workers.entrySet().stream()
                .map(entry -> new WorkerRegistration(
                        entry.getKey(),
                        entry.getValue().capacity(),
                        entry.getValue().wholeTransactions(),
                        entry.getValue().registeredAt(),
                        entry.getValue().aliveUntil(),
                        entry.getValue().aliveUntil().isAfter(now)))
                .sorted(Comparator.comparing(WorkerRegistration::registeredAt))
                .toList();
    }

    @Override
    public synchronized int expireWorkers() {
        Instant now = now();
        int before = workers.size();
        workers.values().removeIf(worker -> !worker.aliveUntil().isAfter(now));
        return before - workers.size();
    }

    @Override
    public synchronized int cleanUp(Instant finishedBefore) {
        Set<PartitionToken> needed = neededByUnfinished();
        List<StoredPartition> removable = partitions.values().stream()
                .filter(partition -> partition.finishedBefore(finishedBefore) && !needed.contains(partition.token))
                .toList();
        for (StoredPartition partition : removable) {
            proofs.put(partition.token, partition.proof());
            partitions.remove(partition.token);
        }
        return removable.size();
    }

    @Override
    public synchronized List<FinishedPartition> proofs() {
        return proofs.values().stream()
                .sorted(Comparator.comparing(FinishedPartition::startTimestamp).thenComparing(FinishedPartition::token))
                .toList();
    }

    @Override
    public synchronized int forgetProofs(Instant finishedBefore) {
        Instant discovered = partitions.values().stream()
                .filter(partition -> !partition.isFinished())
                .map(StoredPartition::discoveredUntil)
                .min(Instant::compareTo)
                .orElse(Instant.MIN);
        List<FinishedPartition> forgotten = proofs.values().stream()
                .filter(proof -> proof.finishedAt().isBefore(finishedBefore)
                        && proof.endProof().at().isBefore(discovered)
                        && ForgottenProofs.mayForget(proof.token(), proof.endProof()))
                .toList();
        SubscriptionRecord stored = subscription;
        if (stored == null || forgotten.isEmpty()) {
            return 0;
        }
        Instant before = Stream.concat(
                        stored.forgotten().map(ForgottenProofs::before).stream(),
                        forgotten.stream().map(proof -> proof.endProof().at().plusNanos(1)))
                .max(Instant::compareTo)
                .orElseThrow();
        ForgottenProofs none = new ForgottenProofs(before, 0);
        long kept = Stream.concat(
                        partitions.values().stream()
                                .map(partition -> LineageNode.of(partition.metadata(partition.createdAt))),
                        proofs.values().stream().map(LineageNode::of))
                .filter(none::keeps)
                .count();
        subscription = stored.withForgotten(Optional.of(new ForgottenProofs(before, Math.toIntExact(kept))));
        forgotten.forEach(proof -> proofs.remove(proof.token()));
        return forgotten.size();
    }

    @Override
    public synchronized CorrectionOutcome correct(Correction correction, CorrectionAct act) {
        SubscriptionRecord stored = subscription;
        if (stored == null) {
            return CorrectionOutcome.nothingStored();
        }
        CorrectionOutcome outcome = correction.plan(stored, lineage(), proofs(), workers());
        if (outcome instanceof CorrectionOutcome.Planned planned
                && !planned.plan().changesNothing()) {
            write(planned.plan());
            corrections.add(new AuditedCorrection(now(), act, planned.plan().change()));
        }
        return outcome;
    }

    private void write(CorrectionPlan plan) {
        if (plan.removesAll()) {
            partitions.clear();
            proofs.clear();
        }
        partitions.keySet().removeAll(plan.removed());
        proofs.keySet().removeAll(plan.removed());
        for (PartitionMetadata written : plan.written()) {
            partitions.put(written.token(), StoredPartition.of(written));
        }
        proofs.keySet().removeAll(plan.restored());
        subscription = plan.after();
    }

    @Override
    public synchronized List<AuditedCorrection> corrections() {
        return List.copyOf(corrections);
    }

    @Override
    public void close() {
        // no resources
    }

    private Set<PartitionToken> neededByUnfinished() {
        return partitions.values().stream()
                .filter(partition -> !partition.isFinished())
                .flatMap(StoredPartition::predecessors)
                .collect(Collectors.toSet());
    }

    private @Nullable StoredPartition held(PartitionLease lease) {
        StoredPartition partition = partitions.get(lease.token());
        return partition != null
                        && partition.epoch == lease.epoch()
                        && lease.owner().equals(partition.owner)
                ? partition
                : null;
    }

    private Instant now() {
        return clock.instant();
    }

    private record StoredWorker(int capacity, boolean wholeTransactions, Instant registeredAt, Instant aliveUntil) {}
}
