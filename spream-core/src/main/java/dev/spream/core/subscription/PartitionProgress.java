package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionToken;
import java.time.Instant;

/**
 * The progress of a partition that this worker reads.
 *
 * @param token the partition
 * @param epoch the epoch of its lease
 * @param watermark every change of the partition before it is settled; it may not be stored yet
 * @param inflight the number of changes that are not settled, or are settled but follow one that is not; 0 or more
 */
public record PartitionProgress(PartitionToken token, long epoch, Instant watermark, int inflight) {
    public PartitionProgress {
        requireNonNull(token, "token");
        requireNonNull(watermark, "watermark");
    }
}
