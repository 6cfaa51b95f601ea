package dev.spream.sink.pubsub;

import dev.spream.core.consume.BatchConsumer;
import java.io.IOException;

/**
 * Publishes changes to a topic, and settles each when Pub/Sub has confirmed all of its messages. Batches of several
 * partitions share connections and slots for requests. Safe for use by many threads; closing waits briefly for requests
 * in flight.
 */
record PubsubSink(TopicClient client, ChangeMessages messages) implements BatchConsumer, AutoCloseable {
    @Override
    public void consume(Batch batch) throws IOException, InterruptedException {
        new BatchPublish(client, messages, batch).run();
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return "pubsub to " + client.options().topic();
    }
}
