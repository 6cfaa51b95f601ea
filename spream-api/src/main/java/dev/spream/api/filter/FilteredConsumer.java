package dev.spream.api.filter;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Transaction;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumer with a {@link ChangeFilter} before it. As thread-safe as that consumer. */
@SuppressWarnings("try") // the wrapped consumer decides which exceptions close throws
public sealed class FilteredConsumer implements Consumer, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(FilteredConsumer.class);

    private final ChangeFilter filter;
    private final Consumer consumer;
    private final LongAdder filtered = new LongAdder();

    private FilteredConsumer(ChangeFilter filter, Consumer consumer) {
        this.filter = filter;
        this.consumer = consumer;
    }

    /** Wraps a consumer; the result takes batches or transactions if the consumer does. */
    static FilteredConsumer of(ChangeFilter filter, Consumer consumer) {
        return switch (consumer) {
            case TransactionConsumer transactions -> new OfTransactions(filter, transactions);
            case BatchConsumer batches -> new OfBatches(filter, batches);
            default -> new FilteredConsumer(filter, consumer);
        };
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        Optional<DataChangeRecord> kept = apply(change, delivery);
        if (kept.isPresent()) {
            consumer.consume(kept.get(), delivery);
        }
    }

    /** Returns the part of the change for the consumer; counts a change that is dropped. */
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

    /** Returns the places of the changes of a transaction of which the filter keeps something. */
    private List<Integer> places(List<DataChangeRecord> changes, IntFunction<Delivery> deliveries) {
        List<Integer> places = new ArrayList<>();
        int place = 0;
        for (DataChangeRecord change : changes) {
            if (apply(change, deliveries.apply(place)).isPresent()) {
                places.add(place);
            }
            place++;
        }
        return places;
    }

    /** Returns a view of what the filter keeps at those places, which reads from disk what the transaction has there. */
    private List<DataChangeRecord> kept(List<DataChangeRecord> changes, List<Integer> places) {
        return new KeptView(changes, places, filter);
    }

    private static final class KeptView extends AbstractList<DataChangeRecord> implements RandomAccess {
        private final List<DataChangeRecord> changes;
        private final List<Integer> places;
        private final ChangeFilter filter;

        KeptView(List<DataChangeRecord> changes, List<Integer> places, ChangeFilter filter) {
            this.changes = changes;
            this.places = places;
            this.filter = filter;
        }

        @Override
        public DataChangeRecord get(int index) {
            return filter.apply(changes.get(places.get(index))).orElseThrow();
        }

        @Override
        public int size() {
            return places.size();
        }
    }

    @Override
    public void flush() throws Exception {
        consumer.flush();
    }

    /** Returns the number of changes dropped so far; a repeated change counts again. */
    public long filtered() {
        return filtered.sum();
    }

    /** Closes the wrapped consumer, if it is {@link AutoCloseable}. */
    @Override
    public void close() throws Exception {
        if (consumer instanceof AutoCloseable closeable) {
            closeable.close();
        }
    }

    private static final class OfTransactions extends FilteredConsumer implements TransactionConsumer {
        private final TransactionConsumer consumer;

        OfTransactions(ChangeFilter filter, TransactionConsumer consumer) {
            super(filter, consumer);
            this.consumer = consumer;
        }

        @Override
        public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
            super.consume(change, delivery);
        }

        /** Passes on what the filter keeps of a transaction; nothing if that is nothing. */
        @Override
        public void consume(Transaction transaction) throws Exception {
            List<DataChangeRecord> changes = transaction.changes();
            List<Integer> places = super.places(changes, transaction::delivery);
            if (!places.isEmpty()) {
                consumer.consume(new KeptTransaction(transaction, super.kept(changes, places), places));
            }
        }
    }

    /** The changes of a transaction that passed, indexed from 0. */
    private record KeptTransaction(Transaction whole, List<DataChangeRecord> changes, List<Integer> places)
            implements Transaction {
        @Override
        public String serverTransactionId() {
            return whole.serverTransactionId();
        }

        @Override
        public Instant commitTimestamp() {
            return whole.commitTimestamp();
        }

        @Override
        public String transactionTag() {
            return whole.transactionTag();
        }

        @Override
        public boolean isSystemTransaction() {
            return whole.isSystemTransaction();
        }

        @Override
        public boolean isComplete() {
            return whole.isComplete();
        }

        @Override
        public Delivery delivery(int index) {
            return whole.delivery(places.get(index));
        }
    }

    private static final class OfBatches extends FilteredConsumer implements BatchConsumer {
        private final BatchConsumer consumer;

        OfBatches(ChangeFilter filter, BatchConsumer consumer) {
            super(filter, consumer);
            this.consumer = consumer;
        }

        /** Settles the dropped changes first: they have no effect, so no order is violated. */
        @Override
        public void consume(Batch batch) throws Exception {
            if (batch.isTransaction()) {
                List<DataChangeRecord> changes = batch.changes();
                List<Integer> places = super.places(changes, batch::delivery);
                if (!places.isEmpty()) {
                    consumer.consume(new KeptChanges(batch, super.kept(changes, places), places));
                }
                return;
            }
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

    /** The changes that passed, indexed from 0; {@code places} maps their indexes to those of the whole batch. */
    private record KeptChanges(BatchConsumer.Batch batch, List<DataChangeRecord> changes, List<Integer> places)
            implements BatchConsumer.Batch {
        @Override
        public Delivery delivery(int index) {
            return batch.delivery(places.get(index));
        }

        @Override
        public boolean isTransaction() {
            return batch.isTransaction();
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
