package dev.spream.core.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A row of {@link InMemoryPartitionStorage}, guarded by the storage's monitor. */
final class StoredPartition {
    final PartitionToken token;
    final List<PartitionToken> parentTokens;
    final Instant startTimestamp;
    final Instant createdAt;
    final List<PartitionGap> gaps = new ArrayList<>();
    PartitionState state = PartitionState.CREATED;
    Instant watermark;
    long epoch;
    long changedAt; // in the order of all changes of the storage

    @Nullable
    WorkerId owner;

    @Nullable
    Instant leaseUntil;

    @Nullable
    PartitionEnd endProof;

    @Nullable
    MoveIn moveIn;

    @Nullable
    MoveOuts moveOuts;

    @Nullable
    Instant scheduledAt;

    @Nullable
    Instant runningAt;

    @Nullable
    Instant finishedAt;

    StoredPartition(
            PartitionToken token, List<PartitionToken> parentTokens, Instant startTimestamp, Instant createdAt) {
        this.token = token;
        this.parentTokens = parentTokens;
        this.startTimestamp = startTimestamp;
        this.createdAt = createdAt;
        this.watermark = startTimestamp;
    }

    /** Returns the partition without its lease. */
    static StoredPartition of(PartitionMetadata unowned) {
        StoredPartition partition = new StoredPartition(
                unowned.token(), unowned.parentTokens(), unowned.startTimestamp(), unowned.createdAt());
        partition.gaps.addAll(unowned.gaps());
        partition.state = unowned.state();
        partition.watermark = unowned.watermark();
        partition.epoch = unowned.epoch();
        partition.endProof = unowned.endProof().orElse(null);
        partition.moveIn = unowned.moveIn().orElse(null);
        partition.moveOuts = unowned.moveOuts().orElse(null);
        partition.scheduledAt = unowned.scheduledAt().orElse(null);
        partition.runningAt = unowned.runningAt().orElse(null);
        partition.finishedAt = unowned.finishedAt().orElse(null);
        return partition;
    }

    boolean isFinished() {
        return state == PartitionState.FINISHED;
    }

    /** Returns the partitions that this one may have to wait for: its parents, and the sources of its last move-in. */
    Stream<PartitionToken> predecessors() {
        return Stream.concat(
                parentTokens.stream(), Optional.ofNullable(moveIn).stream().flatMap(moved -> moved.sources().stream()));
    }

    boolean isFree(Instant now) {
        return !isFinished() && !leaseLive(now);
    }

    PartitionLease acquire(WorkerId worker, Instant now, Duration leaseTime) {
        epoch++;
        owner = worker;
        leaseUntil = now.plus(leaseTime);
        if (state == PartitionState.CREATED) {
            become(PartitionState.SCHEDULED);
            scheduledAt = now;
        }
        return new PartitionLease(token, worker, epoch, watermark, Optional.ofNullable(moveOuts));
    }

    void become(PartitionState next) {
        if (!state.canBecome(next)) {
            throw new IllegalArgumentException(
                    "partition %s cannot go from %s to %s".formatted(token.abbreviated(), state, next));
        }
        state = next;
    }

    void advance(Instant to, Optional<MoveOuts> settled) {
        if (to.isAfter(watermark)) {
            watermark = to;
            moveOuts = null;
        }
        if (to.equals(watermark)) {
            MoveOuts known = moveOuts;
            moveOuts =
                    settled.map(more -> known == null ? more : known.and(more)).orElse(known);
        }
    }

    Instant discoveredUntil() {
        return PartitionMetadata.discoveredUntil(watermark, gaps);
    }

    void accept(PartitionGap gap) {
        if (gaps.contains(gap)) {
            return;
        }
        if (!gap.from().equals(watermark)) {
            throw new IllegalArgumentException(
                    "partition %s: a gap from %s cannot be accepted, because the stored watermark is %s; nothing was changed"
                            .formatted(token.abbreviated(), gap.from(), watermark));
        }
        gaps.add(gap);
        watermark = gap.to();
        moveOuts = null;
    }

    boolean finishedBefore(Instant moment) {
        return state == PartitionState.FINISHED && finishedAt != null && finishedAt.isBefore(moment);
    }

    FinishedPartition proof() {
        if (endProof == null || finishedAt == null) {
            throw new IllegalStateException("partition %s is not finished".formatted(token.abbreviated()));
        }
        return new FinishedPartition(token, parentTokens, startTimestamp, endProof, finishedAt, gaps);
    }

    PartitionMetadata metadata(Instant now) {
        return new PartitionMetadata(
                token,
                parentTokens,
                startTimestamp,
                state,
                watermark,
                epoch,
                Optional.ofNullable(owner),
                Optional.ofNullable(leaseUntil),
                leaseLive(now),
                Optional.ofNullable(endProof),
                createdAt,
                Optional.ofNullable(scheduledAt),
                Optional.ofNullable(runningAt),
                Optional.ofNullable(finishedAt),
                gaps,
                Optional.ofNullable(moveIn),
                Optional.ofNullable(moveOuts));
    }

    private boolean leaseLive(Instant now) {
        return owner != null && leaseUntil != null && leaseUntil.isAfter(now);
    }
}
