package dev.spream.sink.pubsub;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PushConfig;
import dev.spream.core.StorageException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventJson;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.servers.SubscriberServer;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class PubsubEventSourceTest {
    private static final Duration BOUND = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(300);
    private static final FeedRequest ALL = FeedRequest.all("view");

    private final SubscriberServer server = SubscriberServer.start();
    private final PubsubEventSource events = source(Map.of());

    PubsubEventSourceTest() throws IOException {
        server.create("view");
    }

    @AfterEach
    void close() {
        events.close();
        server.close();
    }

    private PubsubEventSource source(Map<String, String> more) throws IOException {
        Map<String, String> values = new HashMap<>(more);
        values.put("project", "demo");
        values.put("emulator-host", server.host());
        return PubsubEventSource.open(PubsubEventSourceProvider.options(
                TestConfig.of(new PubsubEventSourceProvider(), values), Optional.empty()));
    }

    private static EventEnvelope event(String aggregate, long version) {
        return new EventEnvelope(
                aggregate + "-" + version,
                aggregate,
                "Added",
                "{\"n\": " + version + "}",
                version,
                Instant.parse("2026-01-01T10:00:00.5Z"),
                new EventMetadata("c", "u", "s", Optional.of("k")));
    }

    private void publish(String aggregate, long version) {
        server.publish(aggregate, ByteString.copyFromUtf8(EventJson.write(event(aggregate, version))), Map.of());
    }

    private static List<FeedItem> poll(EventFeed feed, int count) throws InterruptedException {
        List<FeedItem> items = new ArrayList<>();
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (items.size() < count) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain for item %d; had %s".formatted(items.size() + 1, items));
            }
            items.addAll(feed.poll(count - items.size(), BOUND).items());
        }
        return items;
    }

    private static List<String> ids(List<FeedItem> items) {
        return items.stream()
                .map(item -> ((FeedItem.Event) item).envelope().eventId())
                .toList();
    }

    private static void assertNothingComes(EventFeed feed) throws InterruptedException {
        assertThat(feed.poll(10, MOMENT).items()).isEmpty();
    }

    /** The client sends acknowledgements every tenth of a second, and the server confirms none of them. */
    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain until " + what);
            }
            TimeUnit.MILLISECONDS.sleep(2);
        }
    }

    @Test
    void a_message_is_an_event_with_all_that_its_data_say() throws InterruptedException {
        publish("a", 1);
        try (EventFeed feed = events.open(ALL)) {
            assertThat(poll(feed, 1))
                    .singleElement()
                    .isInstanceOfSatisfying(
                            FeedItem.Event.class,
                            item -> assertThat(item.envelope()).isEqualTo(event("a", 1)));
        }
    }

    @Test
    void messages_of_a_key_come_in_order_however_many_threads_the_client_has() throws InterruptedException {
        int versions = 500;
        List<String> aggregates = List.of("a", "b", "c", "d");
        for (int version = 1; version <= versions; version++) {
            for (String aggregate : aggregates) {
                publish(aggregate, version);
            }
        }
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> items = poll(feed, versions * aggregates.size());
            for (String aggregate : aggregates) {
                assertThat(ids(items).stream().filter(id -> id.startsWith(aggregate)))
                        .containsExactlyElementsOf(LongStream.rangeClosed(1, versions)
                                .mapToObj(version -> aggregate + "-" + version)
                                .toList());
            }
        }
    }

    @Test
    void only_acknowledged_messages_are_removed() throws InterruptedException {
        publish("a", 1);
        publish("a", 2);
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> items = poll(feed, 2);
            assertNothingComes(feed);
            assertThat(server.left("view")).isEqualTo(2);
            feed.acknowledge(items.subList(0, 1));
            await("one message is acknowledged", () -> server.left("view") == 1);
        }
        try (EventFeed feed = events.open(ALL)) {
            assertThat(ids(poll(feed, 1))).containsExactly("a-2");
            assertNothingComes(feed);
        }
    }

    @Test
    void an_acknowledgement_just_before_the_close_takes_effect() throws InterruptedException {
        publish("a", 1);
        try (EventFeed feed = events.open(ALL)) {
            feed.acknowledge(poll(feed, 1));
        }
        await("the message is acknowledged", () -> server.left("view") == 0);
    }

    @Test
    void a_feed_that_is_closed_gives_back_what_it_holds() throws InterruptedException {
        LongStream.rangeClosed(1, 4).forEach(version -> publish("a", version));
        try (EventFeed feed = events.open(ALL)) {
            poll(feed, 2);
        }
        assertThat(server.held("view")).isZero();
        assertThat(server.left("view")).isEqualTo(4);
    }

    @Test
    void messages_of_a_closed_feed_are_redelivered_with_the_later_ones_in_order() throws InterruptedException {
        LongStream.rangeClosed(1, 6).forEach(version -> publish("a", version));
        publish("b", 1);
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> items = poll(feed, 3);
            feed.acknowledge(items.stream()
                    .filter(item -> ids(List.of(item)).equals(List.of("a-1")))
                    .toList());
        }
        try (EventFeed feed = events.open(ALL)) {
            assertThat(ids(poll(feed, 6)).stream().filter(id -> id.startsWith("a")))
                    .containsExactly("a-2", "a-3", "a-4", "a-5", "a-6");
            assertNothingComes(feed);
        }
    }

    @Test
    void a_message_beyond_its_ack_deadline_is_redelivered() throws InterruptedException {
        publish("a", 1);
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> first = poll(feed, 1);
            server.expire("view");
            List<FeedItem> again = poll(feed, 1);
            assertThat(ids(again)).containsExactly("a-1");
            feed.acknowledge(first);
            feed.acknowledge(again);
            await("it is acknowledged", () -> server.left("view") == 0);
        }
    }

    @Test
    void no_more_is_held_than_may_be() throws IOException, InterruptedException {
        LongStream.rangeClosed(1, 10).forEach(version -> publish("a", version));
        try (PubsubEventSource few = source(Map.of("max-messages", "3"));
                EventFeed feed = few.open(ALL)) {
            List<FeedItem> items = poll(feed, 3);
            assertNothingComes(feed);
            assertThat(server.held("view")).isEqualTo(3);
            feed.acknowledge(items);
            assertThat(ids(poll(feed, 3))).containsExactly("a-4", "a-5", "a-6");
        }
    }

    @Test
    void an_undecodable_message_has_its_bytes_and_attributes() throws InterruptedException {
        ByteString bytes = ByteString.copyFrom(new byte[] {(byte) 0xff, 1});
        server.publish("a", bytes, Map.of("x", "y"));
        server.publish("a", ByteString.copyFromUtf8("{\"event_id\": \"secret\"}"), Map.of());
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> items = poll(feed, 2);
            FeedItem.Undecodable first = (FeedItem.Undecodable) items.getFirst();
            assertThat(first.origin()).isEqualTo("1");
            assertThat(ByteString.copyFrom(first.bytes())).isEqualTo(bytes);
            assertThat(first.attributes()).containsExactly(Map.entry("x", "y"));
            assertThat(first.reason()).contains("UTF-8");
            assertThat(first.at()).isEqualTo(Instant.parse("2026-01-01T00:00:01Z"));
            FeedItem.Undecodable second = (FeedItem.Undecodable) items.get(1);
            assertThat(second.reason()).contains("event_data").doesNotContain("secret");
            assertThat(UTF_8.decode(second.bytes()).toString()).contains("secret");
            feed.acknowledge(items);
            await("both are acknowledged", () -> server.left("view") == 0);
        }
    }

    @Test
    void a_subscription_that_is_deleted_is_told_and_tried_again() throws InterruptedException {
        publish("a", 1);
        try (EventFeed feed = events.open(ALL)) {
            poll(feed, 1);
            server.delete("view");
            assertThatThrownBy(() -> poll(feed, 1))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            failure -> assertThat(failure.retryable()).isFalse())
                    .hasMessageContaining("subscription projects/demo/subscriptions/view does not exist")
                    .hasMessageContaining("--enable-message-ordering");
            server.create("view");
            publish("a", 2);
            assertThat(ids(poll(feed, 1))).containsExactly("a-2");
        }
    }

    @Test
    void a_stream_that_breaks_in_passing_is_not_noticed() throws InterruptedException {
        try (EventFeed feed = events.open(ALL)) {
            publish("a", 1);
            feed.acknowledge(poll(feed, 1));
            server.refusePulls(Status.UNAVAILABLE);
            server.refusePulls(Status.OK);
            publish("a", 2);
            assertThat(ids(poll(feed, 1))).containsExactly("a-2");
        }
    }

    @Test
    void an_acknowledgement_that_is_refused_is_counted_and_harms_nothing() throws InterruptedException {
        server.create("once", subscription -> subscription.setEnableExactlyOnceDelivery(true));
        publish("a", 1);
        try (PubsubFeed feed = (PubsubFeed) events.open(FeedRequest.all("once"))) {
            List<FeedItem> items = poll(feed, 1);
            server.refuseAcknowledgements(Status.PERMISSION_DENIED);
            feed.acknowledge(items);
            await("the refusal is counted", () -> feed.refusedAcknowledgements() == 1);
            server.refuseAcknowledgements(Status.OK);
            server.expire("once");
            feed.acknowledge(poll(feed, 1));
            await("it is acknowledged", () -> server.left("once") == 0);
        }
    }

    @Test
    void a_subscription_that_is_not_there_is_refused() {
        assertThatThrownBy(() -> events.open(FeedRequest.all("other")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("subscription projects/demo/subscriptions/other does not exist")
                .hasMessageContaining("gcloud pubsub subscriptions create")
                .hasMessageContaining("event-source.pubsub.subscription");
    }

    @Test
    void a_subscription_without_message_ordering_is_refused_unless_that_is_wanted()
            throws IOException, InterruptedException {
        server.create("any", subscription -> subscription.setEnableMessageOrdering(false));
        publish("a", 1);
        assertThatThrownBy(() -> events.open(FeedRequest.all("any")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no message ordering")
                .hasMessageContaining("event-source.pubsub.require-ordering=false");
        try (PubsubEventSource wanted = source(Map.of("require-ordering", "false"));
                EventFeed feed = wanted.open(FeedRequest.all("any"))) {
            assertThat(ids(poll(feed, 1))).containsExactly("a-1");
        }
    }

    @Test
    void a_subscription_that_pushes_is_refused() {
        server.create(
                "push",
                subscription ->
                        subscription.setPushConfig(PushConfig.newBuilder().setPushEndpoint("https://x")));
        assertThatThrownBy(() -> events.open(FeedRequest.all("push")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is a push subscription");
    }

    @Test
    void an_account_that_may_not_look_receives_all_the_same() throws InterruptedException {
        server.refuseLooks(Status.PERMISSION_DENIED);
        publish("a", 1);
        try (EventFeed feed = events.open(ALL)) {
            assertThat(ids(poll(feed, 1))).containsExactly("a-1");
        }
    }

    @Test
    void two_projections_cannot_share_a_subscription() throws IOException {
        try (PubsubEventSource shared = source(Map.of("subscription", "view"));
                EventFeed one = shared.open(ALL)) {
            assertThat(one).isNotNull();
            assertThatThrownBy(() -> shared.open(FeedRequest.all("other")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("'view' and 'other' cannot share subscription");
        }
    }

    @Test
    void it_has_neither_segments_nor_positions() {
        assertThat(events.positioned()).isFalse();
        assertThatThrownBy(() -> events.open(new FeedRequest("view", 1, 2, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("segment 1 of 2");
    }

    @Test
    void closing_the_source_closes_its_feeds() throws InterruptedException {
        EventFeed feed = events.open(ALL);
        events.close();
        assertThatThrownBy(() -> feed.poll(1, BOUND))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("the event source is closed");
        assertThatThrownBy(() -> events.open(ALL)).isInstanceOf(IllegalStateException.class);
    }
}
