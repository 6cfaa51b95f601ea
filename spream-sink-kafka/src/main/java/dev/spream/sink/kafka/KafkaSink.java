package dev.spream.sink.kafka;

import dev.spream.core.consume.BatchConsumer;
import java.io.IOException;

/**
 * Publishes changes, and settles each when Kafka has confirmed all of its messages. Batches of several partitions share
 * the producer. Safe for use by many threads; closing waits briefly for messages in flight.
 */
record KafkaSink(SharedProducer producer, Partitions partitions, RowMessages messages)
        implements BatchConsumer, AutoCloseable {
    @Override
    public void consume(Batch batch) throws IOException, InterruptedException {
        new OrderedPublish(producer, partitions, messages, batch).run();
    }

    @Override
    public void close() {
        producer.close();
    }

    @Override
    public String toString() {
        return "kafka to " + messages.topics();
    }
}
