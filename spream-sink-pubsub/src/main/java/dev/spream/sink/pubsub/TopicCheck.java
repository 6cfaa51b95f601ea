package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.pubsub.v1.Topic;
import dev.spream.api.spi.PluginConfig;
import java.io.IOException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The check of the topic before anything is published. */
final class TopicCheck {
    private static final Logger log = LoggerFactory.getLogger(TopicCheck.class);

    private TopicCheck() {}

    /** Opens a client for the topic, and checks the topic first if configured so. */
    static TopicClient open(PluginConfig config, PubsubOptions options) throws IOException, InterruptedException {
        TopicClient client = TopicClient.open(options);
        try {
            if (config.get(PubsubKeys.CHECK_TOPIC)) {
                require(client);
            }
            return client;
        } catch (Throwable t) {
            client.close();
            throw t;
        }
    }

    /**
     * Checks that the topic exists. An account that may publish but not view the topic passes without the check, and a
     * missing topic fails the first message.
     *
     * @throws IOException if there is no such topic, or the server cannot be reached; the message says what to do
     */
    static void require(TopicClient client) throws IOException, InterruptedException {
        ApiFuture<Topic> answer = client.look();
        PubsubOptions options = client.options();
        try {
            answer.get();
            log.debug("messages go to {}", options.topic());
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (!PubsubAdvice.mayNotLook(cause)) {
                throw PubsubAdvice.of(options).atStart(cause);
            }
            log.warn(
                    "the account in use may not view {}, so it is not checked whether it exists; grant roles/pubsub.viewer on it, or set {}=false",
                    options.topic(),
                    options.use().key("check-topic"));
        } finally {
            answer.cancel(true); // cancels a call that was interrupted; no effect on one that is done
        }
    }
}
