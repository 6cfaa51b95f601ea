package dev.spream.core.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The rows of partitions as a correction writes them. None has an owner. */
final class CorrectedPartition {

    private CorrectedPartition() {}

    /** Returns the partition with the gap, from which on it is read. */
    static PartitionMetadata withGap(PartitionMetadata partition, PartitionGap gap) {
        List<PartitionGap> gaps = new ArrayList<>(partition.gaps());
        gaps.add(gap);
        return written(partition, partition.startTimestamp(), gap.to(), gaps, partition.state());
    }

    /** Returns a partition that is read on from its former end, up to which everything is settled, or just after it. */
    static PartitionMetadata readOn(PartitionMetadata finished, Duration after) {
        Instant end = finished.endProof().orElseThrow().at().plus(after);
        return written(
                finished,
                finished.startTimestamp(),
                finished.watermark().isAfter(end) ? finished.watermark() : end,
                finished.gaps(),
                PartitionState.RUNNING);
    }

    /** Returns the partition without an owner: a former one writes nothing more. */
    static PartitionMetadata withoutOwner(PartitionMetadata partition) {
        return written(
                partition, partition.startTimestamp(), partition.watermark(), partition.gaps(), partition.state());
    }

    /**
     * Returns a partition of another epoch, so that no worker claims it that saw the lineage before, and would read it past
     * the time of the snapshot.
     */
    static PartitionMetadata withoutClaims(PartitionMetadata partition) {
        return written(
                partition,
                partition.startTimestamp(),
                partition.watermark(),
                partition.gaps(),
                partition.state(),
                partition.epoch() + 1);
    }

    /** Returns the partition, from another start or watermark, with these gaps and without an owner. */
    static PartitionMetadata written(
            PartitionMetadata partition,
            Instant start,
            Instant watermark,
            List<PartitionGap> gaps,
            PartitionState state) {
        return written(partition, start, watermark, gaps, state, partition.epoch());
    }

    private static PartitionMetadata written(
            PartitionMetadata partition,
            Instant start,
            Instant watermark,
            List<PartitionGap> gaps,
            PartitionState state,
            long epoch) {
        return new PartitionMetadata(
                partition.token(),
                partition.parentTokens(),
                start,
                state,
                watermark,
                epoch,
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                partition.createdAt(),
                partition.scheduledAt(),
                partition.runningAt(),
                Optional.empty(),
                gaps,
                partition.moveIn(),
                partition.moveOuts().filter(settled -> watermark.equals(partition.watermark())));
    }

    /**
     * Returns a partition that clean-up had removed, as far as its proof tells. The proof has no epoch: the seconds since
     * 1970 are above that of any former owner.
     *
     * @param after how long after its end it is read on
     */
    static PartitionMetadata restored(FinishedPartition proof, Duration after, Instant now) {
        Instant watermark = Stream.concat(
                        Stream.of(proof.startTimestamp(), proof.endProof().at().plus(after)),
                        proof.gaps().stream().map(PartitionGap::to))
                .max(Instant::compareTo)
                .orElseThrow();
        return new PartitionMetadata(
                proof.token(),
                proof.parentTokens(),
                proof.startTimestamp(),
                PartitionState.RUNNING,
                watermark,
                now.getEpochSecond(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                proof.finishedAt(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                proof.gaps(),
                Optional.empty(),
                Optional.empty());
    }
}
