package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.pubsub.v1.Topic;
import dev.spream.core.consume.BatchConsumer;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes changes to a topic, and settles each when Pub/Sub has confirmed all of its messages. Batches of several
 * partitions share connections and slots for requests. Safe for use by many threads; closing waits a moment for what is on its
 * way.
 */
final class PubsubSink implements BatchConsumer, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PubsubSink.class);

    private final TopicClient client;

    private PubsubSink(TopicClient client) {
        this.client = client;
    }

    /** @throws IOException if there are no credentials, or they cannot be read */
    static PubsubSink open(PubsubOptions options) throws IOException {
        return new PubsubSink(TopicClient.open(options));
    }

    /**
     * Looks whether the topic is there. An account that may publish need not be allowed to look: then it goes on, and a topic
     * that is not there shows with the first change.
     *
     * @throws IOException if there is no such topic, or the server cannot be asked; the message says what to do
     */
    void requireTopic() throws IOException, InterruptedException {
        ApiFuture<Topic> answer = client.look();
        PubsubTopic topic = client.options().topic();
        try {
            answer.get();
            log.debug("changes go to {}", topic);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (!PublishFailures.mayNotLook(cause)) {
                throw new PublishFailures(topic).atStart(cause);
            }
            log.warn(
                    "the account in use may not look at {}, so whether it is there shows with the first change; grant roles/pubsub.viewer on it, or set sink.pubsub.check-topic=false",
                    topic);
        } finally {
            answer.cancel(true); // which an interrupt leaves behind; nothing if it is done
        }
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
