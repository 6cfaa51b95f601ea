package dev.spream.api.filter;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A filter before a consumer. */
@SuppressWarnings("try") // what closing throws is up to the consumer behind it
sealed class FilteredChanges implements FilteredConsumer permits FilteredBatches {
    private static final Logger log = LoggerFactory.getLogger(FilteredChanges.class);

    private final ChangeFilter filter;
    private final Consumer consumer;
    private final LongAdder filtered = new LongAdder();

    FilteredChanges(ChangeFilter filter, Consumer consumer) {
        this.filter = filter;
        this.consumer = consumer;
    }

    /** What the consumer is to see of the change; a change of which nothing is left is counted. */
    Optional<DataChangeRecord> apply(DataChangeRecord change, Delivery delivery) {
        Optional<DataChangeRecord> kept = filter.apply(change);
        if (kept.isEmpty()) {
            filtered.increment();
            log.debug(
                    "[{}] {} {} {} was filtered out",
                    delivery.partition().abbreviated(),
                    change.modTypeName(),
                    change.tableName(),
                    change.identity());
        }
        return kept;
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        Optional<DataChangeRecord> kept = apply(change, delivery);
        if (kept.isPresent()) {
            consumer.consume(kept.get(), delivery);
        }
    }

    @Override
    public void flush() throws Exception {
        consumer.flush();
    }

    @Override
    public long filtered() {
        return filtered.sum();
    }

    @Override
    public void close() throws Exception {
        if (consumer instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }
}
