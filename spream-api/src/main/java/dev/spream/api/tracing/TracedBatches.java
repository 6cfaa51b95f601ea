package dev.spream.api.tracing;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import io.opentelemetry.api.trace.Span;
import java.util.List;

/** Spans before a consumer that takes batches. As safe for use by many threads as that. */
@SuppressWarnings("try") // what closing throws is up to the consumer behind it
final class TracedBatches extends TracedChanges implements BatchConsumer {
    private final Spans spans;
    private final BatchConsumer consumer;

    TracedBatches(Spans spans, BatchConsumer consumer) {
        super(spans, consumer);
        this.spans = spans;
        this.consumer = consumer;
    }

    @Override
    public void consume(Batch batch) throws Exception {
        spans.around(batch, span -> consumer.consume(new TracedBatch(batch, span)));
    }

    /** A batch of which the span notes what fails. */
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
