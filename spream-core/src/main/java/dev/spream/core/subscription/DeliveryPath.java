package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The ways that changes take to the consumer of one subscription. Safe for use by many threads. */
final class DeliveryPath {
    private final AttemptLog attempts;
    private final ChangeDelivery changes;
    private final @Nullable BatchDelivery batches;
    private final int maxRecords;

    DeliveryPath(
            EngineContext context,
            Consumer consumer,
            ConsumerCalls calls,
            ParkedKeys parkedKeys,
            Deliveries deliveries) {
        DeadLetterCalls deadLetters = new DeadLetterCalls(context, parkedKeys);
        this.attempts = new AttemptLog(context);
        this.changes = new ChangeDelivery(context, consumer, calls, deadLetters, deliveries, attempts);
        this.maxRecords = consumer instanceof BatchConsumer ? context.options().maxBatchSize() : 1;
        this.batches = consumer instanceof BatchConsumer batchConsumer
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

    /** How many records may be delivered together. */
    int maxRecords() {
        return maxRecords;
    }

    /** Delivers records of one partition, in this order; those that are settled then were reported to the control. */
    void deliver(HeldPartition partition, List<InflightRecord> records, DeliveryControl control)
            throws InterruptedException {
        if (batches == null || records.size() == 1) {
            changes.deliver(partition, records.getFirst(), control);
        } else {
            batches.deliver(partition, records, control);
        }
    }
}
