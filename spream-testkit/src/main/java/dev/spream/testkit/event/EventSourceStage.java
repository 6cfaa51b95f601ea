package dev.spream.testkit.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The base of the parts of the contracts of event sources: the source under test, and helper methods. */
interface EventSourceStage {
    Duration TIMEOUT = Duration.ofSeconds(30);
    Duration MOMENT = Duration.ofMillis(200);

    EventSourceFixture fixture();

    Threads threads();

    default FeedRequest request() {
        return FeedRequest.all(fixture().projection(0));
    }

    default EventFeed open() {
        return fixture().source().open(request());
    }

    default void write(EventEnvelope... events) {
        fixture().write(Arrays.asList(events));
    }

    /** Returns the next items of a feed, up to the given number. */
    static List<FeedItem> take(EventFeed feed, int count) throws InterruptedException {
        List<FeedItem> items = new ArrayList<>();
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (items.size() < count && System.nanoTime() < end) {
            items.addAll(feed.poll(count - items.size(), Duration.ofSeconds(1)).items());
        }
        assertThat(items).as("delivered in time").hasSize(count);
        return items;
    }

    /** Asserts that nothing is delivered for a moment. */
    static void requireNothing(EventFeed feed) throws InterruptedException {
        assertThat(feed.poll(10, MOMENT).items()).isEmpty();
    }

    static List<EventEnvelope> events(List<FeedItem> items) {
        return items.stream()
                .map(item -> {
                    assertThat(item).isInstanceOf(FeedItem.Event.class);
                    return ((FeedItem.Event) item).envelope();
                })
                .toList();
    }

    static List<String> ids(List<FeedItem> items) {
        return TestEvents.ids(events(items));
    }
}
