package dev.spream.sink.pubsub;

import dev.spream.core.consume.BatchConsumer;
import java.io.IOException;

/**
 * Publishes changes to a topic, and settles each when Pub/Sub has confirmed all of its messages. Batches of several
 * partitions share connections and slots for requests. Safe for use by many threads; closing waits a moment for what is on its
 * way.
 */
final class PubsubSink implements BatchConsumer, AutoCloseable {
    private final TopicClient client;

    private PubsubSink(TopicClient client) {
        this.client = client;
    }

    /** @throws IOException if there are no credentials, or they cannot be read */
    static PubsubSink open(PubsubOptions options) throws IOException {
        return new PubsubSink(TopicClient.open(options));
    }

    /**
     * Looks whether the topic is there, as far as the account may.
     *
     * @throws IOException if there is no such topic, or the server cannot be asked; the message says what to do
     */
    void requireTopic() throws IOException, InterruptedException {
        TopicCheck.require(client);
    }

    @Override
    public void consume(Batch batch) throws IOException, InterruptedException {
        new BatchPublish(client, batch).run();
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
