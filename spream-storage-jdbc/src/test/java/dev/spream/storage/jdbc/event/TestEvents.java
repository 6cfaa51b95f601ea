package dev.spream.storage.jdbc.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** Helper methods for tests of the event store. */
final class TestEvents {
    static final Instant NOON = Instant.parse("2026-05-05T12:00:00.123456Z");
    static final Duration SOON = Duration.ofSeconds(30);

    private TestEvents() {}

    static TestDatabase database() {
        return TestDatabase.with("events", empty -> JdbcEventStore.create(empty.dataSource()));
    }

    static NewEvent event(String id) {
        return new NewEvent(
                id,
                "ItemAdded",
                "{\"id\": \"%s\"}".formatted(id),
                NOON,
                new EventMetadata("correlation", "user", "tests", Optional.of("key-" + id)));
    }

    static List<NewEvent> events(String... ids) {
        return Arrays.stream(ids).map(TestEvents::event).toList();
    }

    static List<String> ids(List<RecordedEvent> events) {
        return events.stream().map(event -> event.event().eventId()).toList();
    }

    static List<String> ids(FeedBatch batch) {
        List<String> ids = new ArrayList<>();
        for (FeedItem item : batch.items()) {
            if (item instanceof FeedItem.Event event) {
                ids.add(event.envelope().eventId());
            }
        }
        return ids;
    }

    static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + SOON.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime() - deadline).as("waiting for " + what).isNegative();
            LockSupport.parkNanos(5_000_000);
        }
    }

    /** The rows of a query, their columns with commas between. */
    static List<String> rows(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                List<String> columns = new ArrayList<>();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    columns.add(String.valueOf(result.getString(column)));
                }
                rows.add(String.join(",", columns));
            }
            return rows;
        }
    }
}
