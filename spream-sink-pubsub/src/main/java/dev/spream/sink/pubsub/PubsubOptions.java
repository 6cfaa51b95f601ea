package dev.spream.sink.pubsub;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The options for connecting to a topic and for requests to it.
 *
 * @param use the part of spream that uses it
 * @param topic the topic to publish to
 * @param server endpoint and credentials of Pub/Sub
 * @param publishTimeout the time limit until a request is confirmed, with all retries of the client
 * @param maxRequests the maximum number of requests in flight
 * @param maxMessages the maximum number of messages in a request
 * @param maxBytes the maximum size of a request, except for a message that is larger by itself
 * @param compression whether requests are compressed
 */
record PubsubOptions(
        Use use,
        PubsubTopic topic,
        Server server,
        Duration publishTimeout,
        int maxRequests,
        int maxMessages,
        long maxBytes,
        boolean compression) {

    enum Use {
        SINK("sink.pubsub"),
        /** The sender. The worker retries itself, and needs the outcome of each attempt. */
        SENDER("sender.pubsub"),
        EVENT_SOURCE("event-source.pubsub");

        private final String prefix;

        Use(String prefix) {
            this.prefix = prefix;
        }

        String key(String name) {
            return prefix + "." + name;
        }
    }

    sealed interface Server {
        /**
         * Google's server.
         *
         * @param endpoint host and port; by default the client's own
         * @param credentials a file with credentials; by default those of the application
         */
        record Google(Optional<String> endpoint, Optional<Path> credentials) implements Server {}

        /** An emulator, which has neither encryption nor users. */
        record Emulator(String host) implements Server {}
    }
}
