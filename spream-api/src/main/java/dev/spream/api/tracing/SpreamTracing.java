package dev.spream.api.tracing;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.record.DataChangeRecord;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import java.util.List;

/**
 * Creates a span of kind CONSUMER for every delivery; it is current during the call, so that spans of the consumer
 * become its children. Names and attributes follow the semantic conventions for messaging where they apply. No
 * attribute contains a key or a value of a change, but exceptions of the consumer are recorded with their messages.
 *
 * <pre>{@code
 * Consumer traced = SpreamTracing.of(openTelemetry, "OrdersStream").around(consumer);
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/">OpenTelemetry: messaging
 *     spans</a>
 */
public final class SpreamTracing {
    private final Spans spans;

    private SpreamTracing(Spans spans) {
        this.spans = spans;
    }

    /**
     * Creates the tracing with an OpenTelemetry instance.
     *
     * @param destination the messaging destination in the spans: the stream or the subscription
     */
    public static SpreamTracing of(OpenTelemetry telemetry, String destination) {
        return new SpreamTracing(
                Spans.of(requireNonNull(telemetry, "telemetry"), requireNonNull(destination, "destination")));
    }

    /**
     * Returns the consumer with a span around each call; with batches, one span for each batch, with transactions, one for
     * each transaction. Flushes have no span;
     * closing closes the given consumer, if it is {@link AutoCloseable}.
     */
    public Consumer around(Consumer consumer) {
        requireNonNull(consumer, "consumer");
        return switch (consumer) {
            case TransactionConsumer transactions -> new TracedTransactions(transactions);
            case BatchConsumer batches -> new TracedBatches(batches);
            default -> new TracedChanges(consumer);
        };
    }

    @SuppressWarnings("try") // the wrapped consumer decides which exceptions close throws
    private class TracedChanges implements Consumer, AutoCloseable {
        private final Consumer consumer;

        TracedChanges(Consumer consumer) {
            this.consumer = consumer;
        }

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
            spans.around(change, delivery, span -> consumer.consume(change, delivery));
        }

        @Override
        public void flush() throws Exception {
            consumer.flush();
        }

        @Override
        public void close() throws Exception {
            if (consumer instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }
    }

    @SuppressWarnings("try") // the wrapped consumer decides which exceptions close throws
    private final class TracedTransactions extends TracedChanges implements TransactionConsumer {
        private final TransactionConsumer consumer;

        TracedTransactions(TransactionConsumer consumer) {
            super(consumer);
            this.consumer = consumer;
        }

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
            super.consume(change, delivery);
        }

        @Override
        public void consume(Transaction transaction) throws Exception {
            spans.around(transaction, span -> consumer.consume(transaction));
        }
    }

    @SuppressWarnings("try") // the wrapped consumer decides which exceptions close throws
    private final class TracedBatches extends TracedChanges implements BatchConsumer {
        private final BatchConsumer consumer;

        TracedBatches(BatchConsumer consumer) {
            super(consumer);
            this.consumer = consumer;
        }

        @Override
        public void consume(Batch batch) throws Exception {
            spans.around(batch, span -> consumer.consume(new TracedBatch(batch, span)));
        }

        private record TracedBatch(Batch batch, Span span) implements Batch {
            @Override
            public List<DataChangeRecord> changes() {
                return batch.changes();
            }

            @Override
            public Delivery delivery(int index) {
                return batch.delivery(index);
            }

            @Override
            public boolean isTransaction() {
                return batch.isTransaction();
            }

            @Override
            public void settle(int index) {
                batch.settle(index);
            }

            @Override
            public void fail(int index, Throwable cause) {
                batch.fail(index, cause);
                Spans.fail(span, cause);
            }
        }
    }
}
