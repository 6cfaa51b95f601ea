package dev.spream.flink;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.SubscriptionState;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * The lineage of a job, in a storage in memory of which the enumerator is the only worker: it has a lease on each
 * partition that a reader has. What is stored there is settled: a completed checkpoint covers it. Beside the storage
 * stands what the readers have emitted since. Confined to the enumerator's thread.
 */
final class SplitLineage {
    private static final WorkerId ENUMERATOR = new WorkerId("flink");
    private static final Duration FOR_EVER = Duration.ofDays(100_000);

    /** The progress that a reader had made in a partition when a checkpoint was taken. */
    private record Emitted(SplitProgress progress, Optional<PartitionEnd> end) {}

    private final InstantSource clock;
    private final SubscriptionRecord subscription;
    private final InMemoryPartitionStorage storage;
    private final Map<PartitionToken, HeldSplit> held = new LinkedHashMap<>();
    private final Map<PartitionToken, PartitionSplit> returned = new LinkedHashMap<>();
    private final TreeMap<Long, Map<PartitionToken, Emitted>> checkpoints = new TreeMap<>();

    private SplitLineage(InstantSource clock, SubscriptionRecord subscription, InMemoryPartitionStorage storage) {
        this.clock = clock;
        this.subscription = subscription;
        this.storage = storage;
    }

    /** Begins with the root partition. */
    static SplitLineage begin(InstantSource clock, SubscriptionRecord subscription) {
        InMemoryPartitionStorage storage = new InMemoryPartitionStorage(clock);
        storage.openSubscription(subscription);
        return new SplitLineage(clock, subscription, storage);
    }

    /** Continues a stored subscription: what is settled there is not read. */
    static SplitLineage continued(InstantSource clock, SubscriptionState stored) {
        return restored(
                clock,
                stored.subscription().withCompleted(false),
                new EnumeratorState(
                        Optional.of(stored.subscription()), stored.partitions(), stored.finished(), List.of()));
    }

    /** Continues with the state of a checkpoint, which has completed. */
    static SplitLineage restored(InstantSource clock, SubscriptionRecord subscription, EnumeratorState state) {
        SplitLineage lineage = new SplitLineage(
                clock,
                subscription,
                InMemoryPartitionStorage.restored(clock, subscription, state.partitions(), state.finished()));
        state.returned().forEach(split -> lineage.returned.put(split.token(), split));
        state.partitions().stream()
                .filter(partition ->
                        !partition.isFinished() && partition.owner().isPresent())
                .forEach(partition -> lineage.acquire(partition, OptionalInt.empty()));
        lineage.cleanUp();
        return lineage;
    }

    Lineage read() {
        return storage.lineage();
    }

    Collection<HeldSplit> held() {
        return held.values();
    }

    Optional<HeldSplit> held(PartitionToken token) {
        return Optional.ofNullable(held.get(token));
    }

    /** Returns whether the partition is known and not finished. */
    boolean isUnfinished(PartitionToken token) {
        return held.containsKey(token)
                || storage.lineage()
                        .partition(token)
                        .filter(partition -> !partition.isFinished())
                        .isPresent();
    }

    /** Takes a partition that passes the gate, or is read ahead of it, and returns the split for its reader. */
    PartitionSplit assign(PartitionMetadata partition, int reader) {
        acquire(partition, OptionalInt.of(reader));
        PartitionSplit before = returned.remove(partition.token());
        return before == null
                ? new PartitionSplit(
                        partition.token(),
                        partition.token().isRoot() ? subscription.initialQuery() : partition.token(),
                        partition.startTimestamp(),
                        partition.watermark(),
                        Set.of(),
                        partition.moveOuts(),
                        Optional.empty(),
                        List.of(),
                        Optional.empty(),
                        partition.gaps())
                : before;
    }

    private void acquire(PartitionMetadata partition, OptionalInt reader) {
        PartitionLease lease = storage.acquire(ENUMERATOR, List.of(PartitionClaim.of(partition)), FOR_EVER)
                .getFirst();
        storage.markRunning(lease);
        held.put(
                partition.token(),
                new HeldSplit(
                        lease,
                        new SplitProgress(
                                partition.token(), partition.watermark(), partition.moveOuts(), partition.gaps()),
                        reader));
    }

    /** Notes the reader of a partition that it has from a checkpoint; returns empty if the partition is finished. */
    Optional<HeldSplit> readBy(int reader, PartitionToken token) {
        if (!held.containsKey(token)) {
            storage.lineage()
                    .partition(token)
                    .filter(partition -> !partition.isFinished())
                    .ifPresent(partition -> acquire(partition, OptionalInt.of(reader)));
            returned.remove(token);
        }
        Optional<HeldSplit> split = held(token);
        split.ifPresent(known -> known.readBy(reader));
        return split;
    }

    /** Takes a split back that its reader never stored in a completed checkpoint. */
    void giveBack(PartitionSplit split) {
        HeldSplit lost = held.remove(split.token());
        if (lost != null) {
            storage.release(List.of(lost.lease()));
            returned.put(split.token(), split);
        }
    }

    /** Stores children that a held partition has named. */
    void add(HeldSplit parent, ChildPartitionsRecord children) {
        storage.addChildren(parent.lease(), children);
    }

    /** Stores that the reader waits for a move-in, behind those that it waits for already. */
    void waitFor(HeldSplit split, MoveIn moveIn) {
        if (split.moveIns().contains(moveIn)) {
            return;
        }
        split.moveIns().add(moveIn);
        storeWait(split);
    }

    private void storeWait(HeldSplit split) {
        if (!split.moveIns().isEmpty()) {
            storage.waitForMoveIn(split.lease(), split.moveIns().getFirst());
        }
    }

    /** Ends the wait for the earliest move-in. */
    MoveIn proceed(HeldSplit split) {
        MoveIn over = split.moveIns().removeFirst();
        storeWait(split);
        return over;
    }

    /** Stores what a completed checkpoint covers of a partition. */
    void settle(HeldSplit split, SplitProgress progress, Optional<PartitionEnd> end) {
        for (PartitionGap gap : progress.gaps()) {
            advance(split, gap.from(), Optional.empty());
            storage.acceptGap(split.lease(), gap);
        }
        advance(split, progress.position(), progress.moveOuts());
        split.settled(progress);
        if (end.isPresent()) {
            storage.finish(split.lease(), progress.position(), end.get());
            held.remove(split.token());
        }
    }

    private void advance(HeldSplit split, Instant to, Optional<MoveOuts> moveOuts) {
        storage.advanceWatermarks(List.of(new WatermarkAdvance(split.lease(), to, moveOuts)));
    }

    /** Removes finished partitions that nothing waits for any more. */
    void cleanUp() {
        storage.cleanUp(Instant.MAX);
        storage.forgetProofs(Instant.MAX);
    }

    /**
     * Remembers what the readers have emitted. Flink takes the enumerator's part of a checkpoint before the barriers of the
     * readers, so the checkpoint covers it.
     */
    EnumeratorState snapshot(long checkpoint) {
        Map<PartitionToken, Emitted> emitted = new LinkedHashMap<>();
        for (HeldSplit split : held.values()) {
            if (split.isAhead()) {
                emitted.put(split.token(), new Emitted(split.emitted(), split.end()));
            }
        }
        checkpoints.put(checkpoint, emitted);
        return new EnumeratorState(
                Optional.of(subscription),
                storage.lineage().partitions().stream().map(this::asSettled).toList(),
                storage.proofs(),
                List.copyOf(returned.values()));
    }

    /** Settles what was emitted when the checkpoint was taken. */
    void completed(long checkpoint) {
        Map<PartitionToken, Emitted> emitted = checkpoints.get(checkpoint);
        checkpoints.headMap(checkpoint, true).clear();
        if (emitted != null) {
            emitted.forEach((token, at) -> held(token).ifPresent(split -> settle(split, at.progress(), at.end())));
            cleanUp();
        }
    }

    void aborted(long checkpoint) {
        checkpoints.remove(checkpoint);
    }

    /**
     * Returns the partition as it is once everything that was emitted is settled, without its lease. It has no move-in: the
     * event is at its position or later, and is read again, or its reader repeats it. With it, a worker that continues the
     * job would not claim a partition that others wait for, and two that exchange key ranges would wait for each other.
     */
    private PartitionMetadata asSettled(PartitionMetadata stored) {
        Optional<HeldSplit> ahead = held(stored.token()).filter(HeldSplit::isAhead);
        boolean ended = ahead.filter(HeldSplit::isReadToEnd).isPresent();
        return new PartitionMetadata(
                stored.token(),
                stored.parentTokens(),
                stored.startTimestamp(),
                ended ? PartitionState.FINISHED : stored.state(),
                ahead.map(HeldSplit::position).orElse(stored.watermark()),
                stored.epoch(),
                stored.owner(),
                Optional.empty(),
                false,
                ended ? ahead.flatMap(HeldSplit::end) : stored.endProof(),
                stored.createdAt(),
                stored.scheduledAt(),
                stored.runningAt(),
                ended ? Optional.of(clock.instant()) : stored.finishedAt(),
                ahead.map(split -> split.emitted().gaps()).orElse(stored.gaps()),
                Optional.empty(),
                ahead.map(split -> split.emitted().moveOuts()).orElse(stored.moveOuts()));
    }

    /** Returns the splits of that reader. */
    List<HeldSplit> of(int reader) {
        List<HeldSplit> splits = new ArrayList<>();
        for (HeldSplit split : held.values()) {
            if (split.isReadBy(reader)) {
                splits.add(split);
            }
        }
        return splits;
    }
}
