package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
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
    private @Nullable Instant createdAt; // of the subscription
    private long changes; // how many there were
    private long unknownUntil; // the last change that corrected the subscription, or of a partition that was removed

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
        createdAt = now();
        storedPartitions.forEach(partition -> partitions.put(partition.token(), StoredPartition.of(partition)));
        finished.forEach(proof -> proofs.put(proof.token(), proof));
    }

    @Override
    public synchronized SubscriptionRecord openSubscription(SubscriptionRecord requested) {
        SubscriptionRecord stored = subscription;
        if (stored != null) {
            return stored;
        }
        Instant now = now();
        StoredPartition root = new StoredPartition(PartitionToken.ROOT, List.of(), requested.startTimestamp(), now);
        changed(root);
        partitions.put(root.token, root);
        subscription = requested;
        createdAt = now;
        return requested;
    }

    @Override
    public synchronized Optional<SubscriptionRecord> subscription() {
        return Optional.ofNullable(subscription);
    }

    @Override
    public synchronized Optional<Instant> createdAt() {
        return Optional.ofNullable(createdAt);
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

    @Override
    public synchronized FrontierChanges frontierSince(Optional<String> since, Set<PartitionToken> watched) {
        Mark known = since.map(Mark::of).orElse(Mark.NONE);
        Lineage found = known.change < unknownUntil ? frontier() : changedSince(known.change, watched);
        List<WorkerRegistration> alive =
                workers().stream().filter(WorkerRegistration::alive).toList();
        Mark mark = new Mark(changes, Mark.versionOf(alive));
        return new FrontierChanges(
                known.change < unknownUntil,
                found,
                found.readAt(),
                Optional.of(mark.toString()),
                LiveWorkers.of(alive, Optional.of(alive).filter(workers -> !mark.workers.equals(known.workers))));
    }

    /**
     * The place of a look in the order of all changes.
     *
     * @param change the number of the last change that it shows
     * @param workers differs whenever the workers that are alive do
     */
    private record Mark(long change, String workers) {
        private static final Mark NONE = new Mark(-1, "");

        static Mark of(String text) {
            String[] parts = text.split(" ", 2);
            try {
                return new Mark(Long.parseLong(parts[0]), parts[1]);
            } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
                throw new IllegalArgumentException("'%s' is not a mark of this storage".formatted(text), e);
            }
        }

        static String versionOf(List<WorkerRegistration> alive) {
            return alive.stream()
                    .map(worker -> worker.worker() + " " + worker.capacity() + " " + worker.wholeTransactions())
                    .sorted()
                    .toList()
                    .toString();
        }

        @Override
        public String toString() {
            return change + " " + workers;
        }
    }

    private Lineage changedSince(long mark, Set<PartitionToken> watched) {
        Set<PartitionToken> found = new HashSet<>(watched);
        for (StoredPartition partition : partitions.values()) {
            if (partition.changedAt > mark) {
                found.add(partition.token);
            }
        }
        List.copyOf(found).stream()
                .flatMap(token -> Optional.ofNullable(partitions.get(token)).stream())
                .filter(partition -> !partition.isFinished())
                .flatMap(StoredPartition::predecessors)
                .filter(token -> Optional.ofNullable(partitions.get(token))
                        .filter(StoredPartition::isFinished)
                        .isPresent())
                .forEach(found::add);
        return lineageOf(found.stream()
                .flatMap(token -> Optional.ofNullable(partitions.get(token)).stream())
                .toList());
    }

    private StoredPartition changed(StoredPartition partition) {
        partition.changedAt = ++changes;
        return partition;
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
                acquired.add(changed(partition).acquire(worker, now, leaseTime));
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
            changed(partition).become(PartitionState.RUNNING);
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
                        t -> changed(new StoredPartition(
                                t,
                                child.parentTokens().stream()
                                        .map(PartitionToken::new)
                                        .toList(),
                                children.startTimestamp(),
                                now())));
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
        changed(partition).moveIn = moveIn;
        return true;
    }

    @Override
    public synchronized boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        StoredPartition partition = held(lease);
        if (partition == null || partition.state != PartitionState.RUNNING) {
            return false;
        }
        changed(partition).accept(gap);
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
        changed(partition).become(PartitionState.FINISHED);
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
                changed(partition).owner = null;
                partition.leaseUntil = null;
            }
        }
    }

    @Override
    public synchronized void releaseExpired(Collection<PartitionLease> leases) {
        Instant now = now();
        release(leases.stream()
                .filter(lease -> {
                    StoredPartition partition = held(lease);
                    return partition != null && partition.isFree(now);
                })
                .toList());
    }

    @Override
    public synchronized void registerWorker(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime) {
        Instant now = now();
        StoredWorker known = workers.get(worker);
        workers.put(
                worker,
                new StoredWorker(
                        capacity,
                        wholeTransactions,
                        known == null ? now : known.registeredAt(),
                        now.plus(aliveTime),
                        progress));
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
                        entry.getValue().progress(),
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
            unknownUntil = Math.max(unknownUntil, partition.changedAt);
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
        unknownUntil = ++changes;
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

    private record StoredWorker(
            int capacity,
            boolean wholeTransactions,
            Instant registeredAt,
            Instant aliveUntil,
            Optional<WorkerProgress> progress) {}
}
