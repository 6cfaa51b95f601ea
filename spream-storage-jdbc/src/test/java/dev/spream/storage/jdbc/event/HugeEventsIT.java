package dev.spream.storage.jdbc.event;

import static dev.spream.storage.jdbc.event.TestEvents.SOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of large events: no read loads more of them at once than the memory intended for it. */
@Timeout(120)
final class HugeEventsIT {
    private static final int EVENTS = 60;
    private static final int SIZE = 300_000;
    private static final String INSERT = """
            INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
            SELECT 'e' || n, 'a', n, 'Inserted', jsonb_build_object('text', repeat('x', %d)), now()
            FROM generate_series(%d, %d) AS n""";

    private final TestDatabase database = TestEvents.database();
    private final JdbcEventStore store = JdbcEventStore.create(database.dataSource());

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    @Test
    void a_feed_that_is_behind_reads_few_huge_events_at_once_and_leaves_none_out() throws InterruptedException {
        insert(1, EVENTS);
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThat(readAll(feed)).allSatisfy(HugeEventsIT::assertFits);
        }
    }

    @Test
    @Tag("proof")
    void huge_new_events_are_delivered_in_order() throws InterruptedException {
        insert(1, 1);
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThat(feed.poll(10, SOON).items()).hasSize(1);
            insert(2, EVENTS + 1);
            List<FeedItem> items = new ArrayList<>();
            readAll(feed).forEach(items::addAll);
            assertThat(items.stream().map(HugeEventsIT::version))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(2, EVENTS + 1).boxed().toList());
        }
    }

    private void insert(int first, int last) {
        database.execute(INSERT.formatted(SIZE, first, last));
    }

    private static List<List<FeedItem>> readAll(EventFeed feed) throws InterruptedException {
        List<List<FeedItem>> batches = new ArrayList<>();
        for (int read = 0; read < EVENTS; read += batches.getLast().size()) {
            List<FeedItem> items = feed.poll(EVENTS, SOON).items();
            assertThat(items).isNotEmpty();
            batches.add(items);
        }
        return batches;
    }

    private static void assertFits(List<FeedItem> items) {
        long bytes = items.stream()
                .limit(items.size() - 1L)
                .mapToLong(
                        item -> ((FeedItem.Event) item).envelope().eventData().length())
                .sum();
        assertThat(bytes).isLessThan(MemoryBound.MAX_BYTES);
    }

    private static long version(FeedItem item) {
        return ((FeedItem.Event) item).envelope().eventVersion();
    }
}
