package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * The right to read a partition and to write its row, as acquired. Every write names it; a write under a lease that was
 * taken over changes nothing.
 *
 * @param token the partition
 * @param owner the holder
 * @param epoch grows by one at each acquire; the fencing token
 * @param watermark the timestamp to read from, as stored when the lease was acquired
 * @param moveOuts the move-outs at that timestamp before which everything is settled, as stored then
 */
public record PartitionLease(
        PartitionToken token, WorkerId owner, long epoch, Instant watermark, Optional<MoveOuts> moveOuts) {
    public PartitionLease {
        requireNonNull(token, "token");
        requireNonNull(owner, "owner");
        requireNonNull(watermark, "watermark");
        requireNonNull(moveOuts, "moveOuts");
        if (epoch < 1) {
            throw new IllegalArgumentException(
                    "epoch is %d, must be 1 or more, because the lease was acquired".formatted(epoch));
        }
    }

    /** Creates a lease on a partition without settled move-outs at its watermark. */
    public PartitionLease(PartitionToken token, WorkerId owner, long epoch, Instant watermark) {
        this(token, owner, epoch, watermark, Optional.empty());
    }
}
