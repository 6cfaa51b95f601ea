package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The stored row of a partition: its place in the lineage, its progress, its owner, and the times of its life.
 *
 * @param token the partition
 * @param parentTokens the partitions it continues; empty for the root and its children
 * @param startTimestamp the start of the partition, inclusive
 * @param state its state
 * @param watermark every record with an earlier commit timestamp is settled, except those in the gaps
 * @param epoch the number of times it was acquired
 * @param owner the present or last holder; empty if never acquired, or released
 * @param leaseUntil the end of the owner's lease, on the storage's clock
 * @param leaseLive whether the owner still held it when this was read, by the storage's clock
 * @param endProof the proof of its end; present exactly when FINISHED
 * @param createdAt when it was stored, on the storage's clock, like the following
 * @param scheduledAt when it was first acquired
 * @param runningAt when it was first read
 * @param finishedAt when it was finished
 * @param gaps accepted gaps, in order of time; all are before the watermark
 * @param moveIn the last move-in that it had to wait for; without effect once the watermark is later
 * @param moveOuts its move-outs at the watermark's timestamp before which everything is settled
 */
public record PartitionMetadata(
        PartitionToken token,
        List<PartitionToken> parentTokens,
        Instant startTimestamp,
        PartitionState state,
        Instant watermark,
        long epoch,
        Optional<WorkerId> owner,
        Optional<Instant> leaseUntil,
        boolean leaseLive,
        Optional<PartitionEnd> endProof,
        Instant createdAt,
        Optional<Instant> scheduledAt,
        Optional<Instant> runningAt,
        Optional<Instant> finishedAt,
        List<PartitionGap> gaps,
        Optional<MoveIn> moveIn,
        Optional<MoveOuts> moveOuts) {
    public PartitionMetadata {
        requireNonNull(token, "token");
        parentTokens = List.copyOf(parentTokens);
        requireNonNull(startTimestamp, "startTimestamp");
        requireNonNull(state, "state");
        requireNonNull(watermark, "watermark");
        requireNonNull(owner, "owner");
        requireNonNull(leaseUntil, "leaseUntil");
        requireNonNull(endProof, "endProof");
        requireNonNull(createdAt, "createdAt");
        requireNonNull(scheduledAt, "scheduledAt");
        requireNonNull(runningAt, "runningAt");
        requireNonNull(finishedAt, "finishedAt");
        gaps = List.copyOf(gaps);
        requireNonNull(moveIn, "moveIn");
        requireNonNull(moveOuts, "moveOuts");
        if (watermark.isBefore(startTimestamp)) {
            throw new IllegalArgumentException("partition %s: watermark %s is before startTimestamp %s"
                    .formatted(token.abbreviated(), watermark, startTimestamp));
        }
        if (epoch < 0) {
            throw new IllegalArgumentException(
                    "partition %s: epoch %d is negative".formatted(token.abbreviated(), epoch));
        }
    }

    /** Returns a partition that was never acquired. */
    public static PartitionMetadata created(
            PartitionToken token, List<PartitionToken> parentTokens, Instant startTimestamp, Instant createdAt) {
        return new PartitionMetadata(
                token,
                parentTokens,
                startTimestamp,
                PartitionState.CREATED,
                startTimestamp,
                0,
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                createdAt,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns the partition with that progress, and its lease live or not. */
    public PartitionMetadata with(Instant progress, Optional<MoveOuts> moved, boolean live) {
        return new PartitionMetadata(
                token,
                parentTokens,
                startTimestamp,
                state,
                progress,
                epoch,
                owner,
                leaseUntil,
                live,
                endProof,
                createdAt,
                scheduledAt,
                runningAt,
                finishedAt,
                gaps,
                moveIn,
                moved);
    }

    public boolean isFinished() {
        return state == PartitionState.FINISHED;
    }

    /**
     * Returns the time before which every child of the partition is stored: the watermark, or the start of a gap that ends
     * there, because the partition may have ended in the gap. Once the watermark is later, or a move-in was read after the
     * gap, it did not.
     */
    public Instant discoveredUntil() {
        return moveIn.filter(read -> !read.timestamp().isBefore(watermark)).isPresent()
                ? watermark
                : discoveredUntil(watermark, gaps);
    }

    /** Returns whether records of that time are in an accepted gap. */
    public boolean hasLost(Instant at) {
        return gaps.stream().anyMatch(gap -> !at.isBefore(gap.from()) && at.isBefore(gap.to()));
    }

    static Instant discoveredUntil(Instant watermark, List<PartitionGap> gaps) {
        Instant until = watermark;
        for (PartitionGap gap : gaps.reversed()) {
            if (gap.to().equals(until)) {
                until = gap.from();
            }
        }
        return until;
    }

    /**
     * Returns the time from the watermark to that moment; zero if the watermark is later. Meaningless for a finished
     * partition.
     */
    public Duration lag(Instant now) {
        Duration behind = Duration.between(watermark, now);
        return behind.isNegative() ? Duration.ZERO : behind;
    }

    /**
     * Returns the time from that moment until the stream drops changes that are not settled, if the watermark does not
     * advance; negative if it has dropped some already.
     */
    public Duration untilLoss(Duration retention, Instant now) {
        return Duration.between(now, watermark.plus(retention));
    }
}
