package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * A request to store a later watermark of a partition.
 *
 * @param lease the lease under which it is written; without effect if the lease is lost
 * @param watermark every record of the partition with an earlier commit timestamp is settled and flushed, except
 *     those in the gaps that are stored already
 */
public record WatermarkAdvance(PartitionLease lease, Instant watermark) {
    public WatermarkAdvance {
        requireNonNull(lease, "lease");
        requireNonNull(watermark, "watermark");
    }
}
