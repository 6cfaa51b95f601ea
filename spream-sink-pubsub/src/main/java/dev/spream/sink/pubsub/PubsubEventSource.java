package dev.spream.sink.pubsub;

import com.google.cloud.pubsub.v1.SubscriptionAdminClient;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Delivers events that are received as messages, as {@link PubsubEventSourceProvider} documents it. Safe for use by
 * many threads.
 */
final class PubsubEventSource implements EventSource {
    private static final Duration TERMINATION = Duration.ofSeconds(5);

    private final EventSourceOptions options;
    private final SubscriberClients clients;
    private final SubscriptionAdminClient admin;
    private final SubscriptionCheck check;
    private final Map<String, String> projections = new ConcurrentHashMap<>(); // by subscription
    private final Set<PubsubFeed> feeds = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private PubsubEventSource(EventSourceOptions options, SubscriberClients clients, SubscriptionAdminClient admin) {
        this.options = options;
        this.clients = clients;
        this.admin = admin;
        this.check = new SubscriptionCheck(admin, options.requireOrdering());
    }

    /** @throws IOException if there are no credentials, or they cannot be read */
    static PubsubEventSource open(EventSourceOptions options) throws IOException {
        SubscriberClients clients = new SubscriberClients(options);
        try {
            return new PubsubEventSource(options, clients, clients.admin());
        } catch (IOException e) {
            throw new IOException(
                    "no events can be received: %s; configure %s, or run 'gcloud auth application-default login'"
                            .formatted(e.getMessage(), EventSourceOptions.key("credentials-file")),
                    e);
        }
    }

    @Override
    public boolean positioned() {
        return false;
    }

    @Override
    public EventFeed open(FeedRequest request) {
        if (request.segments() != 1 || request.after() != 0) {
            throw new IllegalArgumentException(
                    "projection '%s' asked for segment %d of %d after position %d: Pub/Sub has neither segments nor positions"
                            .formatted(request.projection(), request.segment(), request.segments(), request.after()));
        }
        requireOpen();
        String subscription = options.subscription(request.projection());
        requireOwn(subscription, request.projection());
        check.require(subscription);
        PubsubFeed feed = new PubsubFeed(subscription, clients, feeds::remove);
        feeds.add(feed);
        if (closed) {
            feed.close();
        }
        requireOpen();
        feed.start();
        return feed;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the event source is closed");
        }
    }

    /** Refuses a subscription that another projection uses: each would get only some of the events. */
    private void requireOwn(String subscription, String projection) {
        String other = projections.putIfAbsent(subscription, projection);
        if (other != null && !other.equals(projection)) {
            throw new IllegalArgumentException(
                    "projections '%s' and '%s' cannot share subscription %s: each would get some of its messages; create one for each, and name them in %s"
                            .formatted(other, projection, subscription, EventSourceOptions.key("subscription")));
        }
    }

    @Override
    public void close() {
        closed = true;
        feeds.forEach(PubsubFeed::end);
        admin.shutdownNow();
        try {
            admin.awaitTermination(TERMINATION.toMillis(), TimeUnit.MILLISECONDS);
            ClientThreads.awaitEnd(TERMINATION);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
