package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

/**
 * A partition that a worker wants, as it saw it: the claim fails if the partition has changed hands since.
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
