package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import org.jspecify.annotations.Nullable;

/** The ways that changes take to the consumer of one subscription. Safe for use by many threads. */
final class DeliveryPath {
    private final AttemptLog attempts;
    private final ChangeDelivery changes;
    private final @Nullable BatchDelivery batches;

    DeliveryPath(
            EngineContext context,
            Consumer consumer,
            ConsumerCalls calls,
            ParkedKeys parkedKeys,
            Deliveries deliveries) {
        DeadLetterCalls deadLetters = new DeadLetterCalls(context, parkedKeys);
        this.attempts = new AttemptLog(context);
        this.changes = new ChangeDelivery(context, consumer, calls, deadLetters, deliveries, attempts);
        this.batches = consumer instanceof BatchConsumer batchConsumer
                        && context.options().maxBatchSize() > 1
                ? new BatchDelivery(context, batchConsumer, calls, deadLetters, deliveries, attempts)
                : null;
    }

    /** What is said of deliveries that fail. */
    AttemptLog attempts() {
        return attempts;
    }

    /** One change in a call. */
    ChangeDelivery changes() {
        return changes;
    }

    boolean takesBatches() {
        return batches != null;
    }

    /** Several changes in a call, where {@link #takesBatches()}. */
    BatchDelivery batches() {
        return requireNonNull(batches, "batches");
    }
}
