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
 *     seen for the partition, which fences a worker that lost its lease in the middle of a call; 0 for a change that is
 *     replayed, which no lease covers
 * @param attempt which attempt this is: 1, and one more for each call before that failed on the change, or on a batch that
 *     it was in
 * @param deadline about when the call is interrupted; empty if it may take as long as it likes
 */
public record Delivery(PartitionToken partition, long epoch, int attempt, Optional<Instant> deadline) {
    public Delivery {
        requireNonNull(partition, "partition");
        requireNonNull(deadline, "deadline");
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt %d: attempts count from 1".formatted(attempt));
        }
    }
}
