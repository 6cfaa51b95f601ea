package dev.spream.core.partition;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A row of a partition, built by a test from another one. */
public final class PartitionEdit {
    private final PartitionMetadata row;

    private PartitionEdit(PartitionMetadata row) {
        this.row = row;
    }

    public static PartitionEdit of(PartitionMetadata row) {
        return new PartitionEdit(row);
    }

    PartitionMetadata start(Instant start) {
        Instant watermark = row.watermark().isBefore(start) ? start : row.watermark();
        return with(start, row.parentTokens(), watermark, row.epoch(), row.endProof(), row.gaps());
    }

    PartitionMetadata parents(List<PartitionToken> parents) {
        return with(row.startTimestamp(), parents, row.watermark(), row.epoch(), row.endProof(), row.gaps());
    }

    public PartitionMetadata watermark(Instant watermark) {
        return with(row.startTimestamp(), row.parentTokens(), watermark, row.epoch(), row.endProof(), row.gaps());
    }

    /** Returns the row as if it had been acquired that many times. */
    PartitionMetadata epoch(long epoch) {
        return with(row.startTimestamp(), row.parentTokens(), row.watermark(), epoch, row.endProof(), row.gaps());
    }

    PartitionMetadata endProof(Optional<PartitionEnd> proof) {
        return with(row.startTimestamp(), row.parentTokens(), row.watermark(), row.epoch(), proof, row.gaps());
    }

    PartitionMetadata gaps(PartitionGap... gaps) {
        return with(
                row.startTimestamp(), row.parentTokens(), row.watermark(), row.epoch(), row.endProof(), List.of(gaps));
    }

    private PartitionMetadata with(
            Instant start,
            List<PartitionToken> parents,
            Instant watermark,
            long epoch,
            Optional<PartitionEnd> proof,
            List<PartitionGap> gaps) {
        return new PartitionMetadata(
                row.token(),
                parents,
                start,
                epoch > 0 && row.state() == PartitionState.CREATED ? PartitionState.SCHEDULED : row.state(),
                watermark,
                epoch,
                row.owner(),
                row.leaseUntil(),
                row.leaseLive(),
                proof,
                row.createdAt(),
                row.scheduledAt(),
                row.runningAt(),
                row.finishedAt(),
                gaps,
                row.moveIn(),
                row.moveOuts());
    }
}
