package dev.spream.testkit.event;

import static dev.spream.testkit.event.EventSourceStage.MOMENT;
import static dev.spream.testkit.event.EventSourceStage.TIMEOUT;
import static dev.spream.testkit.event.EventSourceStage.events;
import static dev.spream.testkit.event.EventSourceStage.ids;
import static dev.spream.testkit.event.EventSourceStage.requireNothing;
import static dev.spream.testkit.event.EventSourceStage.take;
import static dev.spream.testkit.event.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of deliveries, for sources of every kind. */
interface DeliveryContract extends EventSourceStage {

    @Test
    default void what_was_written_is_delivered_as_it_was() throws Exception {
        List<EventEnvelope> written = List.of(event("a", 1), event("b", 1), event("a", 2));
        fixture().write(written);
        try (EventFeed feed = open()) {
            List<FeedItem> items = take(feed, 3);
            TestEvents.assertSame(of("a", items), List.of(written.get(0), written.get(2)));
            TestEvents.assertSame(of("b", items), List.of(written.get(1)));
            assertThat(items).extracting(FeedItem::deliveryId).doesNotHaveDuplicates();
            feed.acknowledge(items);
            requireNothing(feed);
        }
    }

    private static List<EventEnvelope> of(String aggregateId, List<FeedItem> items) {
        return events(items).stream()
                .filter(event -> event.aggregateId().equals(aggregateId))
                .toList();
    }

    @Test
    default void the_events_of_an_aggregate_come_in_their_order_and_no_more_at_once_than_asked_for() throws Exception {
        List<EventEnvelope> written = IntStream.rangeClosed(1, 20)
                .boxed()
                .flatMap(version -> List.of(event("a", version), event("b", version)).stream())
                .toList();
        fixture().write(written);
        try (EventFeed feed = open()) {
            List<FeedItem> items = new ArrayList<>();
            while (items.size() < written.size()) {
                List<FeedItem> next = feed.poll(3, TIMEOUT).items();
                assertThat(next).hasSizeBetween(1, 3);
                feed.acknowledge(next);
                items.addAll(next);
            }
            TestEvents.assertSame(of("a", items), TestEvents.events("a", 1, 20));
            TestEvents.assertSame(of("b", items), TestEvents.events("b", 1, 20));
        }
    }

    @Test
    default void a_poll_that_waits_returns_soon_after_something_was_written() throws Exception {
        try (EventFeed feed = open()) {
            Future<FeedBatch> poll = threads().start(() -> feed.poll(10, Duration.ofMinutes(10)));
            Threads.assertWaits(poll);
            write(event("a", 1));
            assertThat(ids(Threads.resultOf(poll).items())).containsExactly("a#1");
        }
    }

    @Test
    default void a_poll_without_events_ends_when_its_wait_is_over() throws Exception {
        try (EventFeed feed = open()) {
            long began = System.nanoTime();
            assertThat(feed.poll(1, MOMENT).items()).isEmpty();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isBetween(MOMENT.dividedBy(2), TIMEOUT);
            assertThat(feed.poll(1, Duration.ZERO).items()).isEmpty();
        }
    }

    @Test
    default void each_projection_is_given_all_events_whatever_others_acknowledge() throws Exception {
        try (EventFeed feed = open();
                EventFeed others =
                        fixture().source().open(FeedRequest.all(fixture().projection(1)))) {
            write(event("a", 1), event("a", 2));
            feed.acknowledge(take(feed, 2));
            List<FeedItem> items = take(others, 2);
            assertThat(ids(items)).containsExactly("a#1", "a#2");
            others.acknowledge(items);
            requireNothing(feed);
            requireNothing(others);
        }
    }

    @Test
    default void what_many_write_at_once_is_delivered_once_and_in_the_order_of_each_aggregate() throws Exception {
        Future<List<Boolean>> writers = threads()
                .start(() -> threads()
                        .together(IntStream.range(0, 4)
                                .mapToObj(writer -> (Callable<Boolean>) () -> writeMany("aggregate " + writer))
                                .toList()));
        try (EventFeed feed = open()) {
            List<FeedItem> items = new ArrayList<>();
            while (items.size() < 4 * 25) {
                List<FeedItem> next = take(feed, 1);
                feed.acknowledge(next);
                items.addAll(next);
            }
            assertThat(Threads.resultOf(writers)).hasSize(4);
            for (int writer = 0; writer < 4; writer++) {
                TestEvents.assertSame(
                        of("aggregate " + writer, items), TestEvents.events("aggregate " + writer, 1, 25));
            }
            requireNothing(feed);
        }
    }

    private boolean writeMany(String aggregateId) {
        TestEvents.events(aggregateId, 1, 25).forEach(this::write);
        return true;
    }

    @Test
    default void closing_a_feed_ends_a_poll_that_waits_and_closing_again_is_harmless() throws Exception {
        EventFeed feed = open();
        Future<FeedBatch> poll = threads().start(() -> feed.poll(10, Duration.ofMinutes(10)));
        Threads.assertWaits(poll);
        feed.close();
        assertThat(Threads.resultOf(poll).items()).isEmpty();
        feed.close();
        assertThat(feed.poll(10, Duration.ofMinutes(10)).items()).isEmpty();
    }

    @Test
    default void closing_a_source_ends_its_feeds_and_no_others_and_closing_again_is_harmless() throws Exception {
        EventFeed feed = open();
        Future<FeedBatch> poll = threads().start(() -> feed.poll(10, Duration.ofMinutes(10)));
        Threads.assertWaits(poll);
        fixture().source().close();
        assertThatThrownBy(() -> poll.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(StorageException.class)
                .hasMessageContaining("closed; open another");
        assertThatThrownBy(() -> feed.poll(10, Duration.ofMinutes(10))).isInstanceOf(StorageException.class);
        fixture().source().close();
        feed.close();
        assertThat(feed.poll(10, Duration.ofMinutes(10)).items()).isEmpty();
        try (EventFeed another = fixture().anotherSource().open(request())) {
            write(event("a", 1));
            assertThat(ids(take(another, 1))).containsExactly("a#1");
        }
    }

    @Test
    default void an_interrupted_poll_throws_and_loses_nothing() throws Exception {
        try (EventFeed feed = open()) {
            Thread[] poller = new Thread[1];
            java.util.concurrent.CountDownLatch begun = new java.util.concurrent.CountDownLatch(1);
            Future<FeedBatch> poll = threads().start(() -> {
                poller[0] = Thread.currentThread();
                begun.countDown();
                return feed.poll(10, Duration.ofMinutes(10));
            });
            Threads.await(begun);
            Threads.assertWaits(poll);
            poller[0].interrupt();
            assertThatThrownBy(() -> poll.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(InterruptedException.class);
            write(event("a", 1));
            assertThat(ids(take(feed, 1))).containsExactly("a#1");
        }
    }
}
