package dev.spream.sink.kafka;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.sink.kafka.TransactionalProducer.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * Publishes each batch in a transaction of Kafka, and settles its changes when that is committed. A batch that
 * is a transaction of the source is delivered again as a whole after a failure; any other change by change, so that the
 * one at fault fails alone. Safe for use by many threads.
 */
record TransactionalSink(TransactionPool transactions, RowMessages messages) implements BatchConsumer, AutoCloseable {
    @Override
    public void consume(Batch batch) throws Exception {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < batch.changes().size(); i++) {
            for (Message message : messages.of(batch.changes().get(i), batch.delivery(i))) {
                entries.add(new Entry(batch.changes().get(i).identity(), message));
            }
        }
        if (!entries.isEmpty()) {
            transactions.publish(entries);
        }
    }

    @Override
    public void close() {
        transactions.close();
    }

    @Override
    public String toString() {
        return "kafka to %s, in transactions".formatted(messages.topics());
    }
}
