package dev.spream.sink.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.api.gax.rpc.TransportChannelProvider;
import com.google.cloud.pubsub.v1.SubscriptionAdminClient;
import com.google.cloud.pubsub.v1.SubscriptionAdminSettings;
import com.google.cloud.pubsub.v1.TopicAdminClient;
import com.google.cloud.pubsub.v1.TopicAdminSettings;
import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.Subscription;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventJson;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.servers.SubscriberServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Events from Google's emulator, where there is one; and from the server in this process, in any case, over feeds that are
 * closed before everything is acknowledged.
 *
 * <p>The emulator (0.8.20) does two things that Pub/Sub does not, so its test has one feed alone. It treats a stream that
 * its client cancelled as open, even if the connection is closed, and continues to send it a share of the ordering keys, before
 * their ack deadline and after it: messages that are released at the end of a feed may never reach the next one. Google's client
 * cancels its stream whenever it stops, and also within a minute without messages, as an emulator before 0.8.32 does not answer
 * its pings. And released messages are redelivered in the order in which they were released, which is any order.
 *
 * @see <a href="https://github.com/googleapis/google-cloud-java/issues/14348">The client's pings and the emulator</a>
 */
@Timeout(120)
final class PubsubEventSourceIT {
    private static final int AGGREGATES = 5;
    private static final int VERSIONS = 15;
    private static final int EVENTS = AGGREGATES * VERSIONS;
    private static final int DONE = 5;
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Duration ACK_DEADLINE = Duration.ofSeconds(10); // the shortest that may be
    private static final Duration PAST_ACK_DEADLINE = ACK_DEADLINE.plusSeconds(3);

    @Test
    void the_emulator_delivers_in_order_and_no_more_what_is_acknowledged() throws Exception {
        Optional<PubsubEmulator> emulator = PubsubEmulator.shared();
        if (emulator.isPresent()) {
            String host = emulator.get().host();
            String subscription = "events-" + UUID.randomUUID();
            publishTo(host, subscription);
            try (PubsubEventSource events = source(host, subscription);
                    EventFeed feed = events.open(FeedRequest.all("view"))) {
                List<FeedItem> items = take(feed, EVENTS);
                assertInOrder(items, 1);
                feed.acknowledge(items);
                assertThat(feed.poll(1, PAST_ACK_DEADLINE).items()).isEmpty();
            }
        }
    }

    @Test
    void the_server_in_this_process_delivers_in_order_what_a_closed_feed_had() throws Exception {
        try (SubscriberServer server = SubscriberServer.start()) {
            publishTo(server);
            try (PubsubEventSource events = source(server.host(), "events")) {
                takeInTwoFeeds(events);
            }
            assertThat(server.left("events")).isZero();
        }
    }

    private static void takeInTwoFeeds(PubsubEventSource events) throws InterruptedException {
        try (EventFeed feed = events.open(FeedRequest.all("view"))) {
            List<FeedItem> items = take(feed, EVENTS);
            assertInOrder(items, 1);
            feed.acknowledge(items.stream()
                    .filter(item -> event(item).eventVersion() <= DONE)
                    .toList());
        }
        try (EventFeed feed = events.open(FeedRequest.all("view"))) {
            List<FeedItem> again = take(feed, EVENTS - AGGREGATES * DONE);
            assertInOrder(again, DONE + 1);
            feed.acknowledge(again);
        }
    }

    @Test
    void the_server_in_this_process_delivers_every_event_in_the_order_of_its_aggregate_over_restarts()
            throws Exception {
        try (SubscriberServer server = SubscriberServer.start()) {
            publishTo(server);
            List<FeedItem> acknowledged = new ArrayList<>();
            while (acknowledged.size() < EVENTS) {
                try (PubsubEventSource events = source(server.host(), "events");
                        EventFeed feed = events.open(FeedRequest.all("view"))) {
                    List<FeedItem> items = take(feed, Math.min(40, EVENTS - acknowledged.size()));
                    List<FeedItem> some = items.subList(0, (items.size() + 1) / 2);
                    feed.acknowledge(some);
                    acknowledged.addAll(some);
                }
            }
            assertInOrder(acknowledged, 1);
            assertThat(server.left("events")).isZero();
        }
    }

    private static PubsubEventSource source(String host, String subscription) throws IOException {
        TestConfig config = TestConfig.of(
                new PubsubEventSourceProvider(),
                Map.of(
                        "project",
                        "demo",
                        "emulator-host",
                        host,
                        "subscription",
                        subscription,
                        "ack-deadline",
                        ACK_DEADLINE.toSeconds() + "s"));
        return PubsubEventSource.open(PubsubEventSourceProvider.options(config, Optional.empty()));
    }

    private static List<FeedItem> take(EventFeed feed, int count) throws InterruptedException {
        List<FeedItem> items = new ArrayList<>();
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (items.size() < count && System.nanoTime() - deadline < 0) {
            items.addAll(feed.poll(count - items.size(), Duration.ofSeconds(1)).items());
        }
        assertThat(items).as("delivered in time").hasSize(count);
        return items;
    }

    private static EventEnvelope event(FeedItem item) {
        return ((FeedItem.Event) item).envelope();
    }

    /** All versions of each aggregate, from that one on. */
    private static void assertInOrder(List<FeedItem> items, int from) {
        Map<String, List<Long>> versions = items.stream()
                .map(PubsubEventSourceIT::event)
                .collect(Collectors.groupingBy(
                        EventEnvelope::aggregateId,
                        Collectors.mapping(EventEnvelope::eventVersion, Collectors.toList())));
        assertThat(versions).hasSize(AGGREGATES);
        assertThat(versions.values())
                .allSatisfy(of -> assertThat(of)
                        .containsExactlyElementsOf(
                                LongStream.rangeClosed(from, VERSIONS).boxed().toList()));
    }

    private static void publishTo(SubscriberServer server) {
        server.create("events");
        messages().forEach(message -> server.publish(message.getOrderingKey(), message.getData(), Map.of()));
    }

    /** Those of all aggregates, in turn. */
    private static List<PubsubMessage> messages() {
        return IntStream.rangeClosed(1, VERSIONS)
                .boxed()
                .flatMap(version -> IntStream.range(0, AGGREGATES)
                        .mapToObj(aggregate -> message("aggregate-" + aggregate, version)))
                .toList();
    }

    private static PubsubMessage message(String aggregate, long version) {
        EventEnvelope event = new EventEnvelope(
                aggregate + "#" + version,
                aggregate,
                "Added",
                "{}",
                version,
                Instant.parse("2026-01-01T10:00:00Z"),
                EventMetadata.NONE);
        return PubsubMessage.newBuilder()
                .setOrderingKey(aggregate)
                .setData(ByteString.copyFromUtf8(EventJson.write(event)))
                .build();
    }

    private static void publishTo(String host, String name) throws IOException {
        ManagedChannel channel =
                ManagedChannelBuilder.forTarget(host).usePlaintext().build();
        TransportChannelProvider transport = FixedTransportChannelProvider.create(GrpcTransportChannel.create(channel));
        String topic = "projects/demo/topics/" + name;
        try (TopicAdminClient topics = TopicAdminClient.create(TopicAdminSettings.newBuilder()
                        .setTransportChannelProvider(transport)
                        .setCredentialsProvider(NoCredentialsProvider.create())
                        .build());
                SubscriptionAdminClient subscriptions =
                        SubscriptionAdminClient.create(SubscriptionAdminSettings.newBuilder()
                                .setTransportChannelProvider(transport)
                                .setCredentialsProvider(NoCredentialsProvider.create())
                                .build())) {
            topics.createTopic(topic);
            subscriptions.createSubscription(Subscription.newBuilder()
                    .setName("projects/demo/subscriptions/" + name)
                    .setTopic(topic)
                    .setEnableMessageOrdering(true)
                    .build());
            messages().forEach(message -> topics.publish(topic, List.of(message)));
        } finally {
            channel.shutdownNow();
        }
    }
}
