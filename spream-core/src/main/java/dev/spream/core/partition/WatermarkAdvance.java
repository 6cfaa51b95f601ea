package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * A watermark to store.
 *
 * @param lease the right to write it
 * @param watermark every record of the partition with an earlier commit timestamp is settled and flushed, but for those
 *     in the gaps that are stored already
 */
public record WatermarkAdvance(PartitionLease lease, Instant watermark) {
    public WatermarkAdvance {
        requireNonNull(lease, "lease");
        requireNonNull(watermark, "watermark");
    }
}
