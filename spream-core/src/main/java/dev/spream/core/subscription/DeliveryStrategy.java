package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The way in which changes are delivered to the consumer of one subscription. Safe for use by many threads.
 *
 * @param maxRecords how many records may be delivered together
 */
record DeliveryStrategy(
        AttemptLog attempts,
        ChangeDelivery changes,
        @Nullable BatchDelivery batches,
        int maxRecords) {

    static DeliveryStrategy of(EngineContext context, Consumer consumer, ConsumerCalls calls, ParkedKeys parkedKeys) {
        DeadLetterCalls deadLetters = new DeadLetterCalls(context, parkedKeys);
        AttemptLog attempts = new AttemptLog(context);
        ChangeDelivery changes = new ChangeDelivery(context, consumer, calls, deadLetters, attempts);
        return consumer instanceof BatchConsumer together
                ? new DeliveryStrategy(
                        attempts,
                        changes,
                        new BatchDelivery(context, together, calls, deadLetters, attempts),
                        context.options().maxBatchSize())
                : new DeliveryStrategy(attempts, changes, null, 1);
    }

    /**
     * Delivers records of one partition, in this order. Records that are settled by the end of the call have been
     * reported to the control.
     */
    void deliver(HeldPartition partition, List<InflightRecord> records, DeliveryControl control)
            throws InterruptedException {
        if (batches == null || records.size() == 1) {
            changes.deliver(partition, records.getFirst(), control);
        } else {
            batches.deliver(partition, records, control);
        }
    }
}
