package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.transaction.ChangeBuffer;
import dev.spream.core.subscription.transaction.MemoryBuffer;
import dev.spream.core.subscription.transaction.TransactionAssembler;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final Logger log = LoggerFactory.getLogger(DeliveryStrategy.class);

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

    /** Returns the mode of the options; a consumer of transactions gets whole ones by itself. */
    static TransactionMode transactionMode(SubscriberOptions options, Consumer consumer) {
        return options.transactionMode() == TransactionMode.OFF && consumer instanceof TransactionConsumer
                ? TransactionMode.WHOLE
                : options.transactionMode();
    }

    /** Returns what puts the transactions of a run together, and has them delivered. */
    TransactionAssembler assembler(
            EngineContext context,
            TransactionMode mode,
            Consumer consumer,
            ConsumerCalls calls,
            java.util.function.Consumer<Throwable> onFailure) {
        SubscriberOptions options = context.options();
        if (options.decodingFailure() == DecodingFailure.DEAD_LETTER) {
            throw new IllegalArgumentException(
                    "decodingFailure is DEAD_LETTER, but a transaction is not whole without a row that cannot be decoded: set it to STOP, or transactionMode to OFF");
        }
        if (options.transactionBuffer().isEmpty()) {
            log.warn(
                    "[{}] whole transactions without a transactionBuffer: changes beyond half of maxBufferedBytes stay in memory, which a large transaction may exhaust. Put com.h2database:h2 on the class path, for a file, or set transactionBuffer",
                    context.source().streamName());
        }
        ChangeBuffer buffer = options.transactionBuffer().map(Supplier::get).orElseGet(MemoryBuffer::new);
        boolean inCommitOrder = mode == TransactionMode.COMMIT_ORDER;
        return new TransactionAssembler(
                new TransactionAssembler.Settings(
                        context.source().streamName(),
                        inCommitOrder,
                        !inCommitOrder && options.effectiveOrdering() != Ordering.NONE,
                        inCommitOrder || options.effectiveOrdering() == Ordering.PARTITION ? 1 : options.maxInflight(),
                        options.maxBufferedBytes() / 2),
                new TransactionDelivery(context, consumer, calls, changes.deadLetters(), attempts),
                buffer,
                context.time(),
                onFailure);
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
