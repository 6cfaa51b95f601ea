package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;

/**
 * The failure of a consumer on a change. Attempts and times are those of this run: they start again when the change
 * is delivered again after a restart or a take-over. Times are of this machine's wall clock, which may be set back
 * between them.
 *
 * @param partition the partition that returned it
 * @param change the change
 * @param attempt the number of attempts, including this one
 * @param counted the number of attempts that count towards a limit: those whose {@link ErrorDecision.Retry} counts, and this one
 * @param firstFailureAt when the first attempt failed
 * @param failedAt when this attempt failed
 * @param cause the exception of the consumer
 */
public record DeliveryFailure(
        PartitionToken partition,
        DataChangeRecord change,
        int attempt,
        int counted,
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
            throw new IllegalArgumentException("attempt is %d, must be 1 or more".formatted(attempt));
        }
        if (counted < 1 || counted > attempt) {
            throw new IllegalArgumentException("counted is %d, must be 1 to %d".formatted(counted, attempt));
        }
    }

    /** Creates a failure all of whose attempts count. */
    public DeliveryFailure(
            PartitionToken partition,
            DataChangeRecord change,
            int attempt,
            Instant firstFailureAt,
            Instant failedAt,
            Throwable cause) {
        this(partition, change, attempt, attempt, firstFailureAt, failedAt, cause);
    }
}
