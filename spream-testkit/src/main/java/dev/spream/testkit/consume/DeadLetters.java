package dev.spream.testkit.consume;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Dead letters of each reason, for tests. */
public final class DeadLetters {
    public static final PartitionToken PARTITION = new PartitionToken("partition-a");
    public static final Instant FAILED_AT =
            Changes.START.plus(Duration.ofHours(1)).plusNanos(123_456_789);

    private DeadLetters() {}

    public static DeadLetter failed(DataChangeRecord change) {
        return of(Reason.FAILED, change);
    }

    public static DeadLetter parked(DataChangeRecord change) {
        return of(Reason.PARKED, change);
    }

    public static DeadLetter behind(DataChangeRecord change) {
        return of(Reason.BEHIND_PARKED, change);
    }

    public static DeadLetter of(Reason reason, DataChangeRecord change) {
        return of(reason, change, new IOException("unreachable"));
    }

    public static DeadLetter of(Reason reason, DataChangeRecord change, Throwable cause) {
        Optional<DeliveryFailure> failure = reason == Reason.BEHIND_PARKED
                ? Optional.empty()
                : Optional.of(new DeliveryFailure(PARTITION, change, 3, FAILED_AT.minusSeconds(60), FAILED_AT, cause));
        return new DeadLetter(reason, PARTITION, change, FAILED_AT, failure);
    }
}
