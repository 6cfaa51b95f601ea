package dev.spream.sink.pubsub;

import dev.spream.sink.pubsub.PubsubOptions.Server;
import java.time.Duration;

/**
 * The options for receiving events.
 *
 * @param project the Google Cloud project of the subscriptions
 * @param names the subscription of each projection
 * @param server endpoint and credentials of Pub/Sub
 * @param maxMessages the maximum number of unacknowledged messages of a projection
 * @param maxBytes the maximum size of those messages
 * @param ackDeadline the time after which the messages of an unresponsive process are delivered again: 10 s to 10 min
 * @param maxHold the maximum time that a message is held, however long its projection takes
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
