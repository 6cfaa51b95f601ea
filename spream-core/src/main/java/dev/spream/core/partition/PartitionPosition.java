package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * A partition that holds back others.
 *
 * @param partition the partition
 * @param timestamp the time up to which it has been read, or settled
 */
public record PartitionPosition(PartitionToken partition, Instant timestamp) {
    public PartitionPosition {
        requireNonNull(partition, "partition");
        requireNonNull(timestamp, "timestamp");
    }
}
