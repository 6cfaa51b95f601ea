package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

/**
 * A request to acquire a partition, based on a snapshot: it fails if the partition was acquired by another worker
 * since.
 *
 * @param token the partition
 * @param epoch the epoch in the snapshot that the claim is based on
 */
public record PartitionClaim(PartitionToken token, long epoch) {
    public PartitionClaim {
        requireNonNull(token, "token");
    }

    public static PartitionClaim of(PartitionMetadata partition) {
        return new PartitionClaim(partition.token(), partition.epoch());
    }
}
