package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;

/**
 * A change that a consumer refused. Attempts and times are those of this run: a change that comes again after a restart or a
 * take-over starts anew. Times are of this machine's wall clock, which may be set back between them.
 *
 * @param partition the partition that returned it
 * @param change the change
 * @param attempt how often it was tried, this time included
 * @param firstFailureAt when the first attempt failed
 * @param failedAt when this attempt failed
 * @param cause what the consumer threw
 */
public record DeliveryFailure(
        PartitionToken partition,
        DataChangeRecord change,
        int attempt,
        Instant firstFailureAt,
        Instant failedAt,
        Throwable cause) {
    public DeliveryFailure {
        requireNonNull(partition, "partition");
        requireNonNull(change, "change");
        requireNonNull(firstFailureAt, "firstFailureAt");
        requireNonNull(failedAt, "failedAt");
        requireNonNull(cause, "cause");
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt %d: attempts count from 1".formatted(attempt));
        }
    }
}
