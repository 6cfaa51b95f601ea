package dev.spream.testkit.event;

import static dev.spream.testkit.event.EventSourceStage.MOMENT;
import static dev.spream.testkit.event.EventSourceStage.TIMEOUT;
import static dev.spream.testkit.event.EventSourceStage.ids;
import static dev.spream.testkit.event.EventSourceStage.take;
import static dev.spream.testkit.event.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of positions and segments. */
interface PositionContract extends EventSourceStage {

    private EventFeed open(int segment, int segments, long after) {
        return fixture().source().open(new FeedRequest(fixture().projection(0), segment, segments, after));
    }

    /** Returns all items after a position, by one poll if the limit allows it. */
    private static List<FeedItem> drain(EventFeed feed, int limit) throws InterruptedException {
        List<FeedItem> items = new ArrayList<>();
        FeedBatch batch = feed.poll(limit, TIMEOUT);
        while (!batch.items().isEmpty()) {
            items.addAll(batch.items());
            assertThat(items).as("no event twice").hasSizeLessThan(1_000);
            batch = feed.poll(limit, MOMENT);
        }
        return items;
    }

    private static List<Long> positions(List<FeedItem> items) {
        return items.stream().map(item -> ((FeedItem.Event) item).position()).toList();
    }

    private void writeAggregates(int count) {
        for (int i = 0; i < count; i++) {
            write(event("aggregate " + i, 1));
        }
        for (int i = 0; i < count; i++) {
            write(event("aggregate " + i, 2));
        }
    }

    @Test
    default void the_source_has_positions() {
        assertThat(fixture().source().positioned()).isTrue();
    }

    @Test
    default void a_source_without_events_is_at_its_head() throws Exception {
        try (EventFeed feed = open(0, 1, 0)) {
            FeedBatch batch = feed.poll(10, Duration.ZERO);
            assertThat(batch.items()).isEmpty();
            assertThat(batch.position()).isEqualTo(batch.head());
        }
    }

    @Test
    default void events_come_in_the_order_of_their_positions_and_the_batch_has_the_last_one_and_the_head()
            throws Exception {
        writeAggregates(3);
        try (EventFeed feed = open(0, 1, 0)) {
            List<FeedItem> items = take(feed, 3);
            assertThat(ids(items)).containsExactly("aggregate 0#1", "aggregate 1#1", "aggregate 2#1");
            assertThat(positions(items)).isSorted().doesNotHaveDuplicates();
        }
        try (EventFeed feed = open(0, 1, 0)) {
            FeedBatch batch = feed.poll(2, TIMEOUT);
            while (batch.items().isEmpty()) {
                batch = feed.poll(2, TIMEOUT);
            }
            assertThat(batch.position()).isBetween(positions(batch.items()).getLast(), batch.head() - 1);
            List<FeedItem> rest = drain(feed, 2);
            FeedBatch end = feed.poll(2, Duration.ZERO);
            assertThat(batch.items().size() + rest.size()).isEqualTo(6);
            assertThat(end.position())
                    .isEqualTo(end.head())
                    .isGreaterThanOrEqualTo(positions(rest).getLast());
        }
    }

    @Test
    default void a_feed_continues_from_any_position_of_any_reader() throws Exception {
        writeAggregates(3);
        List<FeedItem> all;
        try (EventFeed feed = open(0, 1, 0)) {
            all = take(feed, 6);
        }
        for (int i = 0; i < 6; i++) {
            FeedRequest request = new FeedRequest(
                    fixture().projection(1), 0, 1, positions(all).get(i));
            try (EventFeed feed = fixture().anotherSource().open(request)) {
                int left = 5 - i;
                assertThat(ids(take(feed, left))).isEqualTo(ids(all.subList(i + 1, 6)));
                assertThat(feed.poll(10, Duration.ZERO).items()).isEmpty();
            }
        }
    }

    @Test
    default void the_next_feed_continues_at_the_position_of_a_batch() throws Exception {
        writeAggregates(5);
        List<String> read = new ArrayList<>();
        long position = 0;
        for (int i = 0; i < 100 && read.size() < 10; i++) {
            try (EventFeed feed = open(0, 1, position)) {
                FeedBatch batch = feed.poll(3, TIMEOUT);
                read.addAll(ids(batch.items()));
                position = batch.position();
            }
        }
        assertThat(read).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    default void acknowledging_changes_nothing() throws Exception {
        writeAggregates(2);
        try (EventFeed feed = open(0, 1, 0)) {
            List<FeedItem> first = take(feed, 2);
            List<FeedItem> second = take(feed, 2);
            feed.acknowledge(second);
            assertThat(ids(second)).doesNotContainAnyElementsOf(ids(first));
        }
        try (EventFeed feed = open(0, 1, 0)) {
            assertThat(ids(take(feed, 4))).hasSize(4).doesNotHaveDuplicates();
        }
    }

    @Test
    default void every_aggregate_is_in_one_segment_always_in_the_same_and_in_the_half_of_it() throws Exception {
        writeAggregates(60);
        Map<String, Integer> quarters = segments(4);
        Map<String, Integer> eighths = segments(8);
        assertThat(quarters).hasSize(60).isEqualTo(segments(4));
        assertThat(new java.util.HashSet<>(quarters.values())).containsExactlyInAnyOrder(0, 1, 2, 3);
        eighths.forEach((aggregate, segment) ->
                assertThat(segment / 2).as("quarter of %s", aggregate).isEqualTo(quarters.get(aggregate)));
        assertThat(segments(256)).hasSize(60);
    }

    private Map<String, Integer> segments(int count) throws InterruptedException {
        Map<String, Integer> segments = new HashMap<>();
        for (int segment = 0; segment < count; segment++) {
            try (EventFeed feed = open(segment, count, 0)) {
                for (EventEnvelope event : EventSourceStage.events(waitingDrain(feed))) {
                    Integer before = segments.put(event.aggregateId(), segment);
                    assertThat(before).as("segment of %s", event).isEqualTo(event.eventVersion() == 1 ? null : segment);
                }
            }
        }
        return segments;
    }

    /** Returns all items up to the head; ends even if the segment is empty. */
    private static List<FeedItem> waitingDrain(EventFeed feed) throws InterruptedException {
        List<FeedItem> items = new ArrayList<>();
        FeedBatch batch = feed.poll(7, Duration.ZERO);
        items.addAll(batch.items());
        while (batch.head() == 0 || batch.position() < batch.head()) {
            batch = feed.poll(7, Duration.ofMillis(5));
            items.addAll(batch.items());
        }
        return items;
    }

    @Test
    default void a_segment_without_events_comes_to_the_head_as_well() throws Exception {
        write(event("a", 1));
        long position = 0;
        for (int segment = 0; segment < 2; segment++) {
            try (EventFeed feed = open(segment, 2, 0)) {
                waitingDrain(feed);
                FeedBatch end = feed.poll(1, Duration.ZERO);
                assertThat(end.position()).isEqualTo(end.head()).isPositive();
                position = Math.max(position, end.position());
            }
        }
        write(event("a", 2));
        List<FeedItem> next = new ArrayList<>();
        for (int segment = 0; segment < 2; segment++) {
            try (EventFeed feed = open(segment, 2, position)) {
                next.addAll(feed.poll(5, Duration.ofMillis(500)).items());
            }
        }
        assertThat(ids(next)).containsExactly("a#2");
    }

    @Test
    default void a_poll_that_waits_returns_when_an_event_of_any_segment_moves_its_position() throws Exception {
        try (EventFeed first = open(0, 2, 0);
                EventFeed second = open(1, 2, 0)) {
            List<Future<FeedBatch>> polls = polls(first, second);
            polls.forEach(Threads::assertWaits);
            write(event("a", 1));
            List<FeedBatch> batches = polls.stream().map(Threads::resultOf).toList();
            List<FeedItem> items =
                    batches.stream().flatMap(batch -> batch.items().stream()).toList();
            assertThat(ids(items)).containsExactly("a#1");
            assertThat(batches)
                    .as("the other segment's position moves as well")
                    .allSatisfy(batch -> assertThat(batch.position())
                            .isGreaterThanOrEqualTo(positions(items).getFirst()));
            polls(first, second).forEach(Threads::assertWaits);
        }
    }

    private List<Future<FeedBatch>> polls(EventFeed... feeds) {
        return Stream.of(feeds)
                .map(feed -> threads().start(() -> feed.poll(10, Duration.ofMinutes(10))))
                .toList();
    }

    @Test
    default void a_reader_during_writes_misses_nothing_in_any_segment() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        List<Future<List<EventEnvelope>>> readers = IntStream.range(0, 4)
                .mapToObj(segment -> threads().start(() -> readUntil(segment, over)))
                .toList();
        threads()
                .together(IntStream.range(0, 4)
                        .mapToObj(writer -> (Callable<Boolean>) () -> {
                            for (int version = 1; version <= 20; version++) {
                                write(
                                        event("w%d a".formatted(writer), version),
                                        event("w%d b".formatted(writer), version));
                            }
                            return true;
                        })
                        .toList());
        over.set(true);
        List<EventEnvelope> read = readers.stream()
                .flatMap(reader -> Threads.resultOf(reader).stream())
                .toList();
        assertThat(TestEvents.ids(read)).hasSize(4 * 20 * 2).doesNotHaveDuplicates();
        Map<String, Long> last = new HashMap<>();
        for (EventEnvelope event : read) {
            assertThat(event.eventVersion())
                    .as("version of %s", event)
                    .isEqualTo(last.merge(event.aggregateId(), 1L, Long::sum));
        }
    }

    private List<EventEnvelope> readUntil(int segment, AtomicBoolean over) throws InterruptedException {
        List<EventEnvelope> read = new ArrayList<>();
        try (EventFeed feed = open(segment, 4, 0)) {
            long position = -1;
            boolean ends = false;
            while (!ends) {
                boolean last = over.get();
                FeedBatch batch = feed.poll(5, Duration.ofMillis(last ? 500 : 20));
                read.addAll(EventSourceStage.events(batch.items()));
                assertThat(read).as("no event twice").hasSizeLessThan(1_000);
                ends = last && batch.position() == position && position == batch.head();
                position = batch.position();
            }
        }
        return read;
    }
}
