package dev.spream.core.subscription;

import dev.spream.core.consume.Delivery;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Says in which circumstances changes are delivered.
 *
 * @param lowWatermark of the subscription, as last read from the storage
 */
record Deliveries(Supplier<Optional<Instant>> lowWatermark) {

    Delivery of(HeldPartition partition, int attempt, Optional<Instant> deadline) {
        return new Delivery(partition.token(), partition.lease().epoch(), attempt, deadline, lowWatermark.get());
    }
}
