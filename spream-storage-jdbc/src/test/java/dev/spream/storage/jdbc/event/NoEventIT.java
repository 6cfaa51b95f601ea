package dev.spream.storage.jdbc.event;

import static dev.spream.storage.jdbc.event.TestEvents.SOON;
import static dev.spream.storage.jdbc.event.TestEvents.await;
import static dev.spream.storage.jdbc.event.TestEvents.events;
import static dev.spream.storage.jdbc.event.TestEvents.ids;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of rows that are not events, and of failures while reading. */
@Timeout(120)
final class NoEventIT {
    private static final String INSERT = """
            INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
            VALUES ('%s', '%s', 1, '%s', '{"amount": 1.50}', '%s')""";
    private static final String NO_TYPE = INSERT.formatted("bad", "other", "", "2026-01-01Z");
    private static final String NO_TIME = INSERT.formatted("never", "other", "T", "infinity");

    private final TestDatabase database = TestEvents.database();
    private final JdbcEventStore store = JdbcEventStore.create(database.dataSource());

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    @Test
    void rows_that_are_no_events_are_refused() {
        List<String> rows = List.of(
                NO_TYPE,
                NO_TIME,
                INSERT.formatted("", "a", "T", "2026-01-01Z"),
                INSERT.formatted("e", "", "T", "2026-01-01Z"),
                INSERT.formatted("e".repeat(201), "a", "T", "2026-01-01Z"),
                INSERT.formatted("e", "a".repeat(1_025), "T", "2026-01-01Z"),
                INSERT.formatted("e", "a", "T".repeat(201), "2026-01-01Z"));
        for (String row : rows) {
            assertThatThrownBy(() -> database.execute(row)).hasMessageContaining("violates check constraint");
        }
    }

    @Test
    void a_row_that_is_no_event_is_delivered_as_such_by_feeds_that_are_behind_and_by_those_that_are_not()
            throws Exception {
        permitAll();
        try (EventSource source = store.source();
                EventFeed following = source.open(FeedRequest.all("p"))) {
            store.append("a", ExpectedVersion.none(), events("a1"));
            assertThat(ids(following.poll(10, SOON))).containsExactly("a1");
            database.execute(NO_TYPE, NO_TIME.replace(", 1, ", ", 2, "));
            store.append("a", ExpectedVersion.exactly(1), events("a2"));

            assertDelivered(items(following, 3));
            try (JdbcEventStore another = JdbcEventStore.create(database.dataSource());
                    EventSource again = another.source();
                    EventFeed behind = again.open(new FeedRequest("q", 0, 1, 1))) {
                assertDelivered(items(behind, 3));
            }
        }
        assertThatThrownBy(() -> store.readAll(0, 10))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("position 2");
    }

    private static void assertDelivered(List<FeedItem> items) {
        assertThat(items.get(0)).isInstanceOfSatisfying(FeedItem.Undecodable.class, item -> {
            assertThat(item.origin()).isEqualTo("position 2 of spream.events");
            assertThat(item.reason()).contains("eventType");
            assertThat(UTF_8.decode(item.bytes()).toString())
                    .contains("\"event_id\":\"bad\"", "\"event_type\":\"\"", "{\"amount\": 1.50}");
        });
        assertThat(items.get(1))
                .isInstanceOfSatisfying(
                        FeedItem.Undecodable.class,
                        item -> assertThat(item.reason()).contains("infinite"));
        assertThat(items.get(2)).isInstanceOf(FeedItem.Event.class);
    }

    private static List<FeedItem> items(EventFeed feed, int count) throws Exception {
        List<FeedItem> items = new ArrayList<>();
        await("%d items".formatted(count), () -> {
            items.addAll(feed.poll(10, Duration.ofSeconds(1)).items());
            return items.size() >= count;
        });
        return items;
    }

    private void permitAll() throws SQLException {
        database.execute(
                "ALTER TABLE spream.events DROP CONSTRAINT events_known_type, DROP CONSTRAINT events_known_time");
    }

    @Test
    void feeds_report_the_failure_of_the_tailer_and_continue_after_it() throws Exception {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>(new IllegalStateException("pool gone"));
        try (JdbcEventStore another = JdbcEventStore.create(failingTailer(failure));
                EventSource source = another.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThatThrownBy(() -> feed.poll(10, SOON))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("pool gone");
            failure.set(new OutOfMemoryError("for a test"));
            await("the error", () -> message(feed).contains("for a test"));
            failure.set(null);
            store.append("a", ExpectedVersion.none(), events("a1"));
            await("the end of the outage", () -> message(feed).isEmpty());
        }
    }

    private static String message(EventFeed feed) throws InterruptedException {
        try {
            return ids(feed.poll(10, SOON)).isEmpty() ? "nothing came" : "";
        } catch (StorageException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Throws it to the thread that reads new events. */
    private DataSource failingTailer(AtomicReference<@Nullable Throwable> failure) {
        return (DataSource) Proxy.newProxyInstance(
                NoEventIT.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    Throwable thrown = failure.get();
                    if (thrown != null && Thread.currentThread().getName().startsWith("spream-events-")) {
                        throw thrown;
                    }
                    Connection connection = database.dataSource().getConnection();
                    return connection;
                });
    }
}
