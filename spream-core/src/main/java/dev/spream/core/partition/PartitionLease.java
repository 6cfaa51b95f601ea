package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * The right to read a partition and to write its row, as acquired. Every write names it; a write under a lease that was
 * taken over changes nothing.
 *
 * @param token the partition
 * @param owner the holder
 * @param epoch grows by one at each acquire; the fencing token
 * @param watermark the timestamp to read from, as stored when the lease was acquired
 */
public record PartitionLease(PartitionToken token, WorkerId owner, long epoch, Instant watermark) {
    public PartitionLease {
        requireNonNull(token, "token");
        requireNonNull(owner, "owner");
        requireNonNull(watermark, "watermark");
        if (epoch < 1) {
            throw new IllegalArgumentException(
                    "epoch is %d, must be 1 or more, because the lease was acquired".formatted(epoch));
        }
    }
}
