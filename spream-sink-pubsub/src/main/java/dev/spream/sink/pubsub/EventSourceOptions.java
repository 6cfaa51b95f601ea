package dev.spream.sink.pubsub;

import dev.spream.sink.pubsub.PubsubOptions.Server;
import java.time.Duration;

/**
 * The options by which events are received.
 *
 * @param project the Google Cloud project of the subscriptions
 * @param names which subscription for which projection
 * @param server endpoint and credentials of Pub/Sub
 * @param maxMessages received for a projection and not acknowledged, at most
 * @param maxBytes of those messages, at most
 * @param ackDeadline how long a process may be silent until what it has is delivered again: 10 s to 10 min
 * @param maxHold how long a message is held at most, however long its projection takes
 * @param requireOrdering whether a subscription must have message ordering
 */
record EventSourceOptions(
        String project,
        SubscriptionNames names,
        Server server,
        int maxMessages,
        long maxBytes,
        Duration ackDeadline,
        Duration maxHold,
        boolean requireOrdering) {

    static String key(String name) {
        return PubsubOptions.Use.EVENT_SOURCE.key(name);
    }

    String subscription(String projection) {
        return "projects/%s/subscriptions/%s".formatted(project, names.of(projection));
    }
}
