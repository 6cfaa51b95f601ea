package dev.spream.storage.jdbc.event;

import static dev.spream.storage.jdbc.event.TestEvents.SOON;
import static dev.spream.storage.jdbc.event.TestEvents.event;
import static dev.spream.storage.jdbc.event.TestEvents.events;
import static dev.spream.storage.jdbc.event.TestEvents.ids;
import static dev.spream.storage.jdbc.event.TestEvents.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.VersionConflictException;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the event store beyond its contract, and of its use of the database. */
@Timeout(120)
final class PostgresEventsIT {
    private final TestDatabase database = TestEvents.database();
    private final JdbcEventStore store = JdbcEventStore.create(database.dataSource());

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    @Test
    void events_that_are_appended_in_a_transaction_are_there_when_it_has_committed() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            List<RecordedEvent> appended =
                    store.append(connection, "a", ExpectedVersion.none(), events("a1", "a2", "a3"));
            assertThat(ids(appended)).containsExactly("a1", "a2", "a3");
            assertThat(appended)
                    .extracting(event -> event.event().eventVersion())
                    .containsExactly(1L, 2L, 3L);
            assertThat(store.read("a", 0, 10)).isEmpty();
            connection.commit();
        }
        assertThat(ids(store.read("a", 0, 10))).containsExactly("a1", "a2", "a3");
        assertThat(ids(store.readAll(0, 10))).containsExactly("a1", "a2", "a3");
    }

    @Test
    void a_version_conflict_leaves_the_callers_transaction_as_it_was() throws SQLException {
        store.append("a", ExpectedVersion.none(), events("a1", "a2"));
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.append(connection, "b", ExpectedVersion.none(), events("b1"));
            assertThatThrownBy(() -> store.append(connection, "a", ExpectedVersion.exactly(1), events("a3")))
                    .isInstanceOfSatisfying(
                            VersionConflictException.class,
                            e -> assertThat(e.actual()).isEqualTo(2));
            store.append(connection, "b", ExpectedVersion.exactly(1), events("b2"));
            connection.commit();
        }
        assertThat(ids(store.read("b", 0, 10))).containsExactly("b1", "b2");
        assertThat(ids(store.read("a", 0, 10))).containsExactly("a1", "a2");
    }

    @Test
    void a_feed_delivers_what_is_appended() throws Exception {
        store.append("a", ExpectedVersion.none(), events("a1", "a2"));
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a1", "a2");
            store.append("a", ExpectedVersion.exactly(2), events("a3"));
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a3");
            assertThat(ids(feed.poll(10, Duration.ZERO))).isEmpty();
        }
    }

    @Test
    void an_auto_committing_connection_is_refused() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            assertThatThrownBy(() -> store.append(connection, "a", ExpectedVersion.any(), events("a1")))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("auto-commit");
        }
    }

    @Test
    void data_that_are_no_json_are_refused_without_showing_them() {
        NewEvent broken =
                new NewEvent("a1", "T", "{secret", TestEvents.NOON, event("a1").metadata());
        assertThatThrownBy(() -> store.append("a", ExpectedVersion.any(), List.of(broken)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret")
                .hasNoCause();
        NewEvent nul = new NewEvent(
                "a1", "T", "\"\\u0000\"", TestEvents.NOON, event("a1").metadata());
        assertThatThrownBy(() -> store.append("a", ExpectedVersion.any(), List.of(nul)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\\u0000");
    }

    @Test
    void events_cannot_be_changed() throws SQLException {
        store.append("a", ExpectedVersion.none(), events("a1"));
        for (String change : List.of(
                "UPDATE spream.events SET event_type = 'x'", "DELETE FROM spream.events", "TRUNCATE spream.events")) {
            assertThatThrownBy(() -> database.execute(change)).hasMessageContaining("events are never changed");
        }
        assertThat(rows(database.dataSource(), "SELECT event_type FROM spream.events"))
                .containsExactly("ItemAdded");
    }
}
