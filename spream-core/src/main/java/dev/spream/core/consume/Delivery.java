package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.Optional;

/**
 * The circumstances in which a change is handed to a consumer.
 *
 * @param partition the partition that returned it
 * @param epoch the epoch of the partition's lease: a consumer that writes elsewhere can refuse a lower one than it has
 *     seen for the partition, which fences a worker that lost its lease in the middle of a call. A call in progress on a
 *     partition that was read ahead of its parents is not fenced against the new owner of a parent. 0 for a change that
 *     is replayed, which no lease covers
 * @param attempt which attempt this is: 1, and one more for each call before that failed on the change, or on a batch that
 *     it was in
 * @param deadline about when the call is interrupted; empty if there is no limit
 * @param lowWatermark the low watermark of the subscription, as far as this worker knows it: every
 *     change with an earlier commit timestamp is settled, by whatever worker, and is not delivered again, except by a
 *     worker that lost its lease. It never moves back while a subscription continues in its storage. Empty for a
 *     change that is replayed
 */
public record Delivery(
        PartitionToken partition, long epoch, int attempt, Optional<Instant> deadline, Optional<Instant> lowWatermark) {
    /** The epoch of a change that no lease covers. */
    private static final long NO_LEASE = 0;

    public Delivery {
        requireNonNull(partition, "partition");
        requireNonNull(deadline, "deadline");
        requireNonNull(lowWatermark, "lowWatermark");
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt is %d, must be 1 or more".formatted(attempt));
        }
    }

    /** Returns the circumstances of the replay of a dead letter. */
    public static Delivery ofReplay(PartitionToken partition, int attempt) {
        return new Delivery(partition, NO_LEASE, attempt, Optional.empty(), Optional.empty());
    }

    /**
     * Returns whether this is the replay of a dead letter: it may be from before the low watermark, and no lease covers
     * it.
     */
    public boolean isReplay() {
        return epoch == NO_LEASE;
    }
}
