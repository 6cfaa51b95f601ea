package dev.spream.sink.pubsub;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The options by which a topic is reached, and those of requests to it.
 *
 * @param use what for
 * @param topic where to publish
 * @param server endpoint and credentials of Pub/Sub
 * @param publishTimeout how long it may take until a request is confirmed, with all attempts of the client's own
 * @param maxRequests requests on their way at the same time
 * @param maxMessages messages of a request
 * @param maxBytes size of a request, but for a message that is larger by itself
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
        /** Whose worker tries again itself, and needs to know what became of each attempt. */
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
         * Google's.
         *
         * @param endpoint host and port; by default the client's own
         * @param credentials a file with them; by default the application's
         */
        record Google(Optional<String> endpoint, Optional<Path> credentials) implements Server {}

        /** An emulator, which knows neither encryption nor users. */
        record Emulator(String host) implements Server {}
    }
}
