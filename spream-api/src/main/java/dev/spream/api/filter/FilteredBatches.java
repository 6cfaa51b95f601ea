package dev.spream.api.filter;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A filter before a consumer that takes batches. */
@SuppressWarnings("try") // what closing throws is up to the consumer behind it
final class FilteredBatches extends FilteredChanges implements BatchConsumer {
    private final BatchConsumer consumer;

    FilteredBatches(ChangeFilter filter, BatchConsumer consumer) {
        super(filter, consumer);
        this.consumer = consumer;
    }

    /** What is filtered out is settled first: it has no effect that another change could overtake. */
    @Override
    public void consume(Batch batch) throws Exception {
        List<DataChangeRecord> kept = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < batch.changes().size(); i++) {
            Optional<DataChangeRecord> change = apply(batch.changes().get(i), batch.delivery(i));
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

    /**
     * What passed, with its own indexes.
     *
     * @param places where each change is in the whole batch
     */
    private record KeptChanges(Batch batch, List<DataChangeRecord> changes, List<Integer> places) implements Batch {
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
