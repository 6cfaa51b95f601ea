package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.Optional;

/**
 * A change that was taken out of delivery, with its failure: it counts as settled once a {@link DeadLetterSink} has
 * stored it, and the watermark passes it.
 *
 * @param reason the reason why it was dead-lettered
 * @param partition the partition that returned it
 * @param change the change
 * @param at when it was dead-lettered
 * @param failure the failure that led to it; empty for a change that follows a parked one
 */
public record DeadLetter(
        Reason reason,
        PartitionToken partition,
        DataChangeRecord change,
        Instant at,
        Optional<DeliveryFailure> failure) {

    /** The reason why a change was dead-lettered, and with it, whether its keys are parked. */
    public enum Reason {
        /**
         * The consumer failed on it, and later changes were delivered, those of its keys as well: it may be out of
         * date when it is replayed.
         */
        FAILED,
        /** The consumer failed on it, and its keys were parked: their later changes wait after it. */
        PARKED,
        /** It was not delivered, because it follows a change whose key is parked. */
        BEHIND_PARKED
    }

    public DeadLetter {
        requireNonNull(reason, "reason");
        requireNonNull(partition, "partition");
        requireNonNull(change, "change");
        requireNonNull(at, "at");
        requireNonNull(failure, "failure");
        if (failure.isEmpty() != (reason == Reason.BEHIND_PARKED)) {
            throw new IllegalArgumentException("a dead letter with the reason %s %s"
                    .formatted(reason, failure.isPresent() ? "has no failure" : "needs its failure"));
        }
    }
}
