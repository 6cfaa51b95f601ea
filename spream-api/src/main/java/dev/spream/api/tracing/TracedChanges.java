package dev.spream.api.tracing;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;

/** Spans before a consumer. As safe for use by many threads as that. */
@SuppressWarnings("try") // what closing throws is up to the consumer behind it
class TracedChanges implements Consumer, AutoCloseable {
    private final Spans spans;
    private final Consumer consumer;

    TracedChanges(Spans spans, Consumer consumer) {
        this.spans = spans;
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
