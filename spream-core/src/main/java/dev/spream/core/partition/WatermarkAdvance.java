package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * A request to store a later watermark of a partition.
 *
 * @param lease the lease under which it is written; without effect if the lease is lost
 * @param watermark every record of the partition with an earlier commit timestamp is settled and flushed, except
 *     those in the gaps that are stored already
 * @param moveOuts the move-outs at the watermark's timestamp before which everything is settled and flushed
 */
public record WatermarkAdvance(PartitionLease lease, Instant watermark, Optional<MoveOuts> moveOuts) {
    public WatermarkAdvance {
        requireNonNull(lease, "lease");
        requireNonNull(watermark, "watermark");
        requireNonNull(moveOuts, "moveOuts");
    }

    /** Creates an advance to a timestamp without settled move-outs. */
    public WatermarkAdvance(PartitionLease lease, Instant watermark) {
        this(lease, watermark, Optional.empty());
    }
}
