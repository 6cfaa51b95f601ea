package dev.spream.testkit.event;

import static dev.spream.testkit.event.EventSourceStage.TIMEOUT;
import static dev.spream.testkit.event.EventSourceStage.ids;
import static dev.spream.testkit.event.EventSourceStage.requireNothing;
import static dev.spream.testkit.event.EventSourceStage.take;
import static dev.spream.testkit.event.TestEvents.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of acknowledgements: which events a source without positions delivers again, and which it does not. */
interface AcknowledgeContract extends EventSourceStage {
    void writeUndecodable();

    @Test
    default void a_source_without_positions_delivers_none() throws Exception {
        assertThat(fixture().source().positioned()).isFalse();
        write(event("a", 1));
        try (EventFeed feed = open()) {
            FeedBatch batch = feed.poll(1, TIMEOUT);
            assertThat(batch.position()).isZero();
            assertThat(batch.head()).isZero();
            assertThat(((FeedItem.Event) batch.items().getFirst()).position()).isZero();
        }
    }

    @Test
    default void segments_are_refused() {
        FeedRequest half = new FeedRequest(fixture().projection(0), 0, 2, 0);
        assertThatThrownBy(() -> fixture().source().open(half)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void what_is_acknowledged_does_not_come_again() throws Exception {
        write(event("a", 1), event("b", 1));
        try (EventFeed feed = open()) {
            feed.acknowledge(take(feed, 2));
            feed.acknowledge(List.of());
        }
        try (EventFeed feed = fixture().anotherSource().open(request())) {
            write(event("a", 2));
            List<FeedItem> items = take(feed, 1);
            assertThat(ids(items)).containsExactly("a#2");
            feed.acknowledge(items);
            requireNothing(feed);
        }
    }

    @Test
    default void what_is_not_acknowledged_when_its_feed_closes_comes_again_in_order() throws Exception {
        fixture().write(TestEvents.events("a", 1, 4));
        try (EventFeed feed = open()) {
            List<FeedItem> items = take(feed, 4);
            feed.acknowledge(items.subList(0, 2));
        }
        try (EventFeed feed = fixture().anotherSource().open(request())) {
            List<FeedItem> again = take(feed, 2);
            assertThat(ids(again)).containsExactly("a#3", "a#4");
            feed.acknowledge(again);
            requireNothing(feed);
        }
    }

    @Test
    default void what_is_held_does_not_come_meanwhile() throws Exception {
        write(event("a", 1));
        try (EventFeed feed = open()) {
            List<FeedItem> items = take(feed, 1);
            requireNothing(feed);
            feed.acknowledge(items);
        }
    }

    @Test
    default void two_feeds_of_a_projection_are_given_everything_between_them() throws Exception {
        Set<String> delivered = new HashSet<>();
        try (EventFeed feed = open();
                EventFeed another = fixture().anotherSource().open(request())) {
            for (int i = 0; i < 20; i++) {
                write(event("aggregate " + i, 1));
            }
            long end = System.nanoTime() + TIMEOUT.toNanos();
            while (delivered.size() < 20 && System.nanoTime() < end) {
                for (EventFeed one : List.of(feed, another)) {
                    List<FeedItem> items = one.poll(3, EventSourceStage.MOMENT).items();
                    delivered.addAll(ids(items));
                    one.acknowledge(items);
                }
            }
        }
        assertThat(delivered).hasSize(20);
    }

    @Test
    default void what_is_no_event_comes_as_it_is_beside_the_events_and_not_again_when_acknowledged() throws Exception {
        write(event("a", 1));
        writeUndecodable();
        write(event("a", 2));
        try (EventFeed feed = open()) {
            List<FeedItem> items = take(feed, 3);
            List<FeedItem> events =
                    items.stream().filter(FeedItem.Event.class::isInstance).toList();
            assertThat(ids(events)).containsExactly("a#1", "a#2");
            FeedItem.Undecodable other = items.stream()
                    .filter(FeedItem.Undecodable.class::isInstance)
                    .map(FeedItem.Undecodable.class::cast)
                    .findFirst()
                    .orElseThrow();
            assertThat(other.origin()).isNotBlank();
            assertThat(other.reason()).isNotBlank();
            assertThat(other.bytes().hasRemaining()).isTrue();
            feed.acknowledge(items);
        }
        try (EventFeed feed = open()) {
            requireNothing(feed);
        }
    }

    @Test
    default void what_is_no_event_comes_again_with_the_same_origin_when_its_feed_closes() throws Exception {
        writeUndecodable();
        List<FeedItem> items;
        try (EventFeed feed = open()) {
            items = take(feed, 1);
        }
        try (EventFeed feed = open()) {
            List<FeedItem> again = take(feed, 1);
            assertThat(((FeedItem.Undecodable) again.getFirst()).origin())
                    .isEqualTo(((FeedItem.Undecodable) items.getFirst()).origin());
            feed.acknowledge(again);
        }
    }
}
