package dev.spream.projection.changestream;

import static dev.spream.projection.changestream.EventChanges.EVENTS;
import static dev.spream.projection.changestream.EventChanges.eventId;
import static dev.spream.projection.changestream.EventChanges.inserted;
import static dev.spream.projection.changestream.EventChanges.row;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.testkit.event.ContractBreakers;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ChangeStreamEventSourceTest {
    private static final Duration BOUND = Duration.ofSeconds(20);
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final FeedRequest ALL = FeedRequest.all("view");

    private final ScriptedSource stream = new ScriptedSource();
    private final Map<String, InMemoryPartitionStorage> storages = new ConcurrentHashMap<>();
    private final ChangeStreamEventSource events = source(options().build());

    private static SubscriberOptions.Builder options() {
        return ChangeStreamEventSource.options()
                .startAt(ScriptedSource.START)
                .watermarkInterval(Duration.ofMillis(5))
                .partitionDiscoveryInterval(Duration.ofMillis(50));
    }

    private ChangeStreamEventSource source(SubscriberOptions options) {
        return new ChangeStreamEventSource(stream, this::storage, EVENTS, options);
    }

    private InMemoryPartitionStorage storage(String projection) {
        return storages.computeIfAbsent(projection, name -> new InMemoryPartitionStorage());
    }

    @AfterEach
    void close() {
        events.close();
    }

    /** Polls until there are so many, and no more. */
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

    /** Polls and acknowledges until there are so many. */
    private static List<String> drain(EventFeed feed, int count) throws InterruptedException {
        List<String> ids = new ArrayList<>();
        while (ids.size() < count) {
            List<FeedItem> items = new ArrayList<>(poll(feed, 1));
            items.addAll(feed.poll(400, Duration.ZERO).items());
            ids.addAll(ids(items));
            feed.acknowledge(items);
        }
        return ids;
    }

    private static List<String> ids(List<FeedItem> items) {
        return items.stream()
                .map(item -> ((FeedItem.Event) item).envelope().eventId())
                .toList();
    }

    private static void assertNothingComes(EventFeed feed) throws InterruptedException {
        assertThat(feed.poll(10, MOMENT).items()).isEmpty();
    }

    private void awaitWatermark(String partition, Instant watermark) throws InterruptedException {
        long deadline = System.nanoTime() + BOUND.toNanos();
        while (!watermark(partition).equals(Optional.of(watermark))) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain for the watermark %s of %s, which is at %s"
                        .formatted(watermark, partition, watermark(partition)));
            }
            TimeUnit.MILLISECONDS.sleep(1); // the storage does not report changes
        }
    }

    private Optional<Instant> watermark(String partition) {
        return storage("view")
                .lineage()
                .partition(new PartitionToken(partition))
                .map(PartitionMetadata::watermark);
    }

    @Test
    void inserted_rows_come_in_the_order_of_their_commits() throws InterruptedException {
        stream.roots("p")
                .add("p", inserted(1, row("a", 1)))
                .add("p", inserted(2, row("b", 1)))
                .add("p", inserted(3, row("a", 2)));
        try (EventFeed feed = events.open(ALL)) {
            assertThat(drain(feed, 3)).containsExactly("a-1", "b-1", "a-2");
        }
    }

    @Test
    void rows_of_one_commit_come_by_their_versions() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 3), row("a", 1), row("a", 2)));
        try (EventFeed feed = events.open(ALL)) {
            assertThat(ids(poll(feed, 3))).containsExactly("a-1", "a-2", "a-3");
        }
    }

    @Test
    void a_poll_gives_no_more_than_was_asked_for() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1), row("a", 2), row("a", 3)));
        try (EventFeed feed = events.open(ALL)) {
            assertThat(feed.poll(2, BOUND).items()).hasSize(2);
            assertThat(ids(feed.poll(2, BOUND).items())).containsExactly("a-3");
            assertNothingComes(feed);
        }
    }

    @Test
    void items_that_were_neither_acknowledged_nor_released_come_from_the_next_feed() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1), row("a", 2)));
        try (EventFeed feed = events.open(ALL)) {
            feed.acknowledge(poll(feed, 2).subList(1, 2));
        }
        try (EventFeed feed = events.open(ALL)) {
            assertThat(ids(poll(feed, 2))).containsExactly("a-1", "a-2");
        }
    }

    @Test
    void acknowledged_events_before_the_first_unacknowledged_one_are_not_redelivered() throws InterruptedException {
        stream.roots("p");
        for (int version = 1; version <= 5; version++) {
            stream.add("p", inserted(version, row("a", version)));
        }
        try (EventFeed feed = events.open(ALL)) {
            feed.acknowledge(poll(feed, 5).subList(0, 3));
        }
        try (EventFeed feed = events.open(ALL)) {
            assertThat(drain(feed, 3)).containsExactly("a-3", "a-4", "a-5");
        }
    }

    @Test
    void as_many_as_may_be_in_flight_are_delivered_in_order_while_none_is_acknowledged() throws InterruptedException {
        int count = SubscriberOptions.MAX_MAX_INFLIGHT;
        stream.roots("p");
        for (int version = 1; version <= count + 1; version++) {
            stream.add("p", inserted(version, row("a", version)));
        }
        stream.fault("p", new ScriptedSource.Fault.Repeat());
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> items = poll(feed, count);
            assertThat(ids(items))
                    .isEqualTo(LongStream.rangeClosed(1, count)
                            .mapToObj(version -> eventId("a", version))
                            .toList());
            assertNothingComes(feed);
            feed.acknowledge(items);
            assertThat(ids(poll(feed, 1))).containsExactly(eventId("a", count + 1));
        }
    }

    @Test
    void acknowledged_events_are_not_redelivered_except_for_the_last_commit() throws InterruptedException {
        stream.roots("p")
                .add("p", inserted(1, row("a", 1)))
                .add("p", inserted(2, row("a", 2)))
                .add("p", inserted(3, row("a", 3)));
        try (EventFeed feed = events.open(ALL)) {
            drain(feed, 3);
        }
        stream.add("p", inserted(4, row("a", 4)));
        try (EventFeed feed = events.open(ALL)) {
            assertThat(drain(feed, 2)).containsExactly("a-3", "a-4");
        }
    }

    @Test
    void the_watermark_passes_a_change_when_all_its_rows_are_acknowledged() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1), row("b", 1))).heartbeat("p", 3);
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> items = poll(feed, 2);
            feed.acknowledge(items.subList(1, 2));
            assertNothingComes(feed);
            assertThat(watermark("p").orElseThrow()).isBeforeOrEqualTo(ScriptedSource.at(1));
            feed.acknowledge(items.subList(0, 1));
            awaitWatermark("p", ScriptedSource.at(3));
        }
    }

    @Test
    void changes_without_events_do_not_hold_up_the_watermark() throws InterruptedException {
        stream.roots("p").change("p", 1, "row").change("p", 2, "row").heartbeat("p", 3);
        try (EventFeed feed = events.open(ALL)) {
            awaitWatermark("p", ScriptedSource.at(3));
            assertNothingComes(feed);
        }
    }

    @Test
    void events_of_a_closed_feed_are_redelivered_in_their_order() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1), row("a", 2), row("a", 3)));
        try (EventFeed feed = events.open(ALL)) {
            poll(feed, 2);
        }
        try (EventFeed feed = events.open(ALL)) {
            assertThat(ids(poll(feed, 3))).containsExactly("a-1", "a-2", "a-3");
        }
    }

    @Test
    void every_projection_gets_everything() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1)));
        try (EventFeed one = events.open(ALL);
                EventFeed other = events.open(FeedRequest.all("other"))) {
            one.acknowledge(poll(one, 1));
            assertThat(ids(poll(other, 1))).containsExactly("a-1");
        }
        assertThat(storages).containsOnlyKeys("view", "other");
    }

    @Test
    void events_of_a_child_come_once_its_parents_are_acknowledged() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1))).split("p", 2, "left", "right");
        stream.add("left", inserted(2, row("a", 2)));
        try (EventFeed feed = events.open(ALL)) {
            List<FeedItem> first = poll(feed, 1);
            assertNothingComes(feed);
            feed.acknowledge(first);
            assertThat(ids(poll(feed, 1))).containsExactly("a-2");
        }
    }

    @Test
    void more_changes_than_may_be_in_flight_come_as_earlier_ones_are_acknowledged() throws InterruptedException {
        int count = 2_500;
        stream.roots("p");
        for (int version = 1; version <= count; version++) {
            stream.add("p", inserted(version, row("a", version)));
        }
        List<String> ids;
        try (EventFeed feed = events.open(ALL)) {
            ids = drain(feed, count);
        }
        assertThat(ids)
                .hasSize(count)
                .doesNotHaveDuplicates()
                .startsWith("a-1", "a-2")
                .endsWith(eventId("a", count));
    }

    @Test
    void a_failure_of_the_subscription_is_thrown_once_and_followed_by_a_retry() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1)));
        stream.fault("p", new ScriptedSource.Fault.Break(0, SourceException.Kind.PERMISSION_DENIED));
        try (EventFeed feed = events.open(ALL)) {
            assertThatThrownBy(() -> feed.poll(1, BOUND))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            failure -> assertThat(failure.retryable()).isFalse())
                    .hasMessageContaining("[Orders/view] events cannot be read")
                    .hasMessageContaining("are delivered again");
            assertThat(ids(poll(feed, 1))).containsExactly("a-1");
        }
    }

    @Test
    void a_transient_failure_of_the_stream_is_not_visible() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1))).add("p", inserted(2, row("a", 2)));
        stream.fault("p", new ScriptedSource.Fault.Break(1, SourceException.Kind.TRANSIENT));
        try (EventFeed feed = events.open(ALL)) {
            assertThat(drain(feed, 2)).containsExactly("a-1", "a-2");
        }
    }

    @Test
    void closing_ends_a_poll_that_waits() throws Exception {
        stream.roots("p");
        EventFeed feed = events.open(ALL);
        CompletableFuture<Integer> polled = CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return feed.poll(1, Duration.ofMinutes(10)).items().size();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                Thread::startVirtualThread);
        feed.close();
        assertThat(polled.get(BOUND.toSeconds(), TimeUnit.SECONDS)).isZero();
        feed.close();
        assertThat(feed.poll(1, BOUND).items()).isEmpty();
    }

    @Test
    void closing_the_source_closes_its_feeds() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1)));
        EventFeed feed = events.open(ALL);
        poll(feed, 1);
        events.close();
        assertThatThrownBy(() -> feed.poll(1, BOUND))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("[Orders/view] events cannot be read: the event source is closed");
        assertThatThrownBy(() -> events.open(ALL)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_feed_that_is_opened_while_the_source_is_closed_does_not_stay_open() {
        AtomicBoolean closed = new AtomicBoolean();
        AtomicReference<Runnable> close = new AtomicReference<>(() -> {});
        ChangeStreamEventSource closing = new ChangeStreamEventSource(
                stream,
                projection -> {
                    requireNonNull(close.get()).run();
                    return ContractBreakers.of(
                            PartitionStorage.class, storage(projection), "close", (storage, none) -> {
                                closed.set(true);
                                return null;
                            });
                },
                EVENTS,
                options().build());
        close.set(closing::close);
        assertThatThrownBy(() -> closing.open(ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
        assertThat(closed).isTrue();
    }

    @Test
    void a_stream_that_cannot_be_read_is_told_until_it_can() throws InterruptedException {
        AtomicBoolean down = new AtomicBoolean();
        AtomicLong clock = new AtomicLong();
        stream.roots("p").add("p", inserted(1, row("a", 1)));
        stream.fault("p", new ScriptedSource.Fault.Break(1, SourceException.Kind.TRANSIENT));
        ChangeStreamSource breaking =
                ContractBreakers.of(ChangeStreamSource.class, stream, "query", (source, arguments) -> {
                    PartitionQuery query = (PartitionQuery) arguments[0];
                    if (query.token().equals(new PartitionToken("p")) && down.getAndSet(true)) {
                        throw new SourceException(SourceException.Kind.TRANSIENT, "UNAVAILABLE", null);
                    }
                    return source.query(query);
                });
        try (ChangeStreamEventSource events = new ChangeStreamEventSource(
                        breaking, this::storage, EVENTS, options().build(), new SteppedTime(clock));
                EventFeed feed = events.open(ALL)) {
            assertThat(drain(feed, 1)).containsExactly("a-1");
            awaitWaited(feed, waited -> waited.compareTo(Duration.ofHours(1)) >= 0, () -> clock.addAndGet(HOUR));
            awaitWaited(feed, Duration::isZero, () -> down.set(false));
        }
    }

    @Test
    void a_subscription_that_cannot_be_opened_is_told() throws InterruptedException {
        stream.roots("p");
        AtomicLong clock = new AtomicLong();
        PartitionStorage failing = ContractBreakers.of(
                PartitionStorage.class, storage("view"), "openSubscription", (storage, arguments) -> {
                    throw new StorageException("a test wants it", true, null);
                });
        try (ChangeStreamEventSource events = new ChangeStreamEventSource(
                        stream, projection -> failing, EVENTS, options().build(), new SteppedTime(clock));
                EventFeed feed = events.open(ALL)) {
            assertThat(feed.poll(1, Duration.ZERO).waited()).isZero();
            clock.addAndGet(HOUR);
            assertThat(feed.poll(1, Duration.ZERO).waited()).isEqualTo(Duration.ofHours(1));
        }
    }

    /** Polls for what says so, and does that before each poll. */
    private static void awaitWaited(EventFeed feed, Predicate<Duration> expected, Runnable step)
            throws InterruptedException {
        long deadline = System.nanoTime() + BOUND.toNanos();
        Duration waited;
        do {
            step.run();
            waited = feed.poll(1, MOMENT).waited();
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain; the feed says %s".formatted(waited));
            }
        } while (!expected.test(waited));
    }

    /** A clock that a test moves. */
    private record SteppedTime(AtomicLong nanos) implements MonotonicTime {
        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH.plusNanos(nanoTime());
        }

        @Override
        public long awaitNanos(Condition condition, long nanos) {
            throw new UnsupportedOperationException("no wait uses this clock");
        }
    }

    @Test
    void a_subscription_that_ends_has_nothing_more() throws InterruptedException {
        stream.roots("p").add("p", inserted(1, row("a", 1))).add("p", inserted(9, row("a", 2)));
        try (ChangeStreamEventSource bounded =
                        source(options().endAt(ScriptedSource.at(5)).build());
                EventFeed feed = bounded.open(ALL)) {
            feed.acknowledge(poll(feed, 1));
            assertNothingComes(feed);
        }
    }

    @Test
    void it_has_neither_segments_nor_positions() {
        assertThat(events.positioned()).isFalse();
        assertThatThrownBy(() -> events.open(new FeedRequest("view", 0, 2, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("segment 0 of 2");
        assertThatThrownBy(() -> events.open(new FeedRequest("view", 0, 1, 5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("after position 5");
    }

    @Test
    void a_limit_on_the_consumers_time_is_refused() {
        SubscriberOptions limited =
                options().consumeTimeout(Duration.ofSeconds(1)).build();
        assertThatThrownBy(() -> source(limited))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("consumeTimeout is 1 s, must not be set");
    }
}
