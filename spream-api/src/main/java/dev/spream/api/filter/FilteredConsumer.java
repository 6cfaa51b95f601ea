package dev.spream.api.filter;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumer behind a {@link ChangeFilter}. As safe for use by many threads as the one behind it. */
@SuppressWarnings("try") // what closing throws is up to the consumer behind it
public sealed class FilteredConsumer implements Consumer, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FilteredConsumer.class);

    private final ChangeFilter filter;
    private final Consumer consumer;
    private final LongAdder filtered = new LongAdder();

    private FilteredConsumer(ChangeFilter filter, Consumer consumer) {
        this.filter = filter;
        this.consumer = consumer;
    }

    /** One that takes batches still does. */
    static FilteredConsumer of(ChangeFilter filter, Consumer consumer) {
        return consumer instanceof BatchConsumer batches
                ? new OfBatches(filter, batches)
                : new FilteredConsumer(filter, consumer);
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        Optional<DataChangeRecord> kept = apply(change, delivery);
        if (kept.isPresent()) {
            consumer.consume(kept.get(), delivery);
        }
    }

    /** Returns the part of the change for the consumer; a change of which nothing is left is counted. */
    private Optional<DataChangeRecord> apply(DataChangeRecord change, Delivery delivery) {
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
    public void flush() throws Exception {
        consumer.flush();
    }

    /** Returns the number of changes dropped so far; a repeated change counts again. */
    public long filtered() {
        return filtered.sum();
    }

    /** Closes the consumer behind the filter, if it is {@link AutoCloseable}. */
    @Override
    public void close() throws Exception {
        if (consumer instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }

    private static final class OfBatches extends FilteredConsumer implements BatchConsumer {
        private final BatchConsumer consumer;

        OfBatches(ChangeFilter filter, BatchConsumer consumer) {
            super(filter, consumer);
            this.consumer = consumer;
        }

        /** Settles dropped changes first: they have no effect that another change could overtake. */
        @Override
        public void consume(Batch batch) throws Exception {
            List<DataChangeRecord> kept = new ArrayList<>();
            List<Integer> places = new ArrayList<>();
            for (int i = 0; i < batch.changes().size(); i++) {
                Optional<DataChangeRecord> change = super.apply(batch.changes().get(i), batch.delivery(i));
                if (change.isEmpty()) {
                    batch.settle(i);
                } else {
                    kept.add(change.get());
                    places.add(i);
                }
            }
            if (!kept.isEmpty()) {
                consumer.consume(new KeptChanges(batch, List.copyOf(kept), places));
            }
        }
    }

    /** The changes that passed, with indexes of their own; {@code places} has those in the whole batch. */
    private record KeptChanges(BatchConsumer.Batch batch, List<DataChangeRecord> changes, List<Integer> places)
            implements BatchConsumer.Batch {
        @Override
        public Delivery delivery(int index) {
            return batch.delivery(places.get(index));
        }

        @Override
        public void settle(int index) {
            batch.settle(places.get(index));
        }

        @Override
        public void fail(int index, Throwable cause) {
            batch.fail(places.get(index), cause);
        }
    }
}
