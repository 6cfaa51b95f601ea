package dev.spream.storage.jdbc.event;

import static dev.spream.storage.jdbc.event.TestEvents.SOON;
import static dev.spream.storage.jdbc.event.TestEvents.events;
import static dev.spream.storage.jdbc.event.TestEvents.ids;
import static dev.spream.storage.jdbc.event.TestEvents.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.spream.core.StorageException;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Tests of readers when the server crashes, and when it has lost events that they have read. */
@Timeout(120)
final class EventLossIT {
    private static final Duration MOMENT = Duration.ofMillis(100);

    @Test
    @Tag("proof")
    void positions_of_rolled_back_transactions_are_not_assigned_again_after_a_crash() throws Exception {
        try (CrashingServer server = new CrashingServer("off");
                JdbcEventStore store = JdbcEventStore.create(server.dataSource());
                EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            store.append("a", ExpectedVersion.none(), events("a1"));
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a1");
            rollBack(server.dataSource(), store, 40);
            pollUntil(feed, 41);

            server.crash();
            store.append("a", ExpectedVersion.exactly(1), events("a2"));
            assertThat(store.readAll(41, 10)).hasSize(1);
            assertThat(ids(pollThroughFailures(feed))).containsExactly("a2");
        }
    }

    @Test
    void the_stored_high_water_mark_is_never_ahead_after_a_crash_and_soon_rises_again() throws Exception {
        crashWithAStoredMark("off");
    }

    @Test
    @Tag("proof")
    void the_stored_high_water_mark_survives_a_crash_where_commits_are_synchronous() throws Exception {
        crashWithAStoredMark("on");
    }

    private void crashWithAStoredMark(String synchronousCommit) throws Exception {
        try (CrashingServer server = new CrashingServer(synchronousCommit);
                JdbcEventStore store = JdbcEventStore.create(server.dataSource());
                EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            store.append("a", ExpectedVersion.none(), events("a1"));
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a1");
            rollBack(server.dataSource(), store, 40);
            pollUntil(feed, 41);
            TestEvents.await("the mark", () -> kept(server) == 41);

            server.crash();
            long kept = kept(server);
            assertThat(kept).isLessThanOrEqualTo(given(server));
            assertThat(synchronousCommit.equals("off") || kept >= 41) // later, if the reader continued meanwhile
                    .as("%d is kept", kept)
                    .isTrue();
            assertThat(given(server)).isGreaterThanOrEqualTo(41);
            TestEvents.await("the mark of the reader that continued", () -> kept(server) >= 41);
            try (Connection late = server.dataSource().getConnection();
                    JdbcEventStore another = JdbcEventStore.create(server.dataSource());
                    EventSource anotherSource = another.source()) {
                late.setAutoCommit(false);
                store.append(late, "b", ExpectedVersion.none(), events("b1"));
                try (EventFeed begun = anotherSource.open(FeedRequest.all("q"))) {
                    FeedBatch known = begun.poll(10, SOON);
                    assertThat(ids(known)).containsExactly("a1");
                    assertThat(known.position()).isGreaterThanOrEqualTo(41);
                    late.commit();
                    assertThat(ids(pollThroughFailures(begun))).containsExactly("b1");
                    assertThat(ids(pollThroughFailures(feed))).containsExactly("b1");
                }
            }
        }
    }

    @Test
    @Tag("proof")
    void a_mark_beyond_the_positions_that_survived_a_crash_is_not_stored() throws Exception {
        try (CrashingServer server = new CrashingServer("off");
                JdbcEventStore store = JdbcEventStore.create(server.dataSource())) {
            store.append("a", ExpectedVersion.none(), events("a1"));
            try (Connection connection = server.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET synchronous_commit = off");
                statement.execute("SELECT setval('spream.events_position_seq', 100)");
            }
            server.crash();
            assertThat(given(server)).as("what the server has lost").isLessThan(100);

            try (Connection connection = server.dataSource().getConnection()) {
                new StoredHighWaterMark(new EventDatabase(
                                server.dataSource(),
                                new EventTable(new SchemaName("spream"), "events"),
                                Duration.ofSeconds(5)))
                        .writeNow(connection, 100);
            }
            assertThat(kept(server)).isZero();
        }
    }

    @Test
    void readers_of_lost_positions_fail_and_other_readers_continue() throws Exception {
        ListAppender<ILoggingEvent> lines = listen();
        try (TestDatabase database = new TestDatabase();
                JdbcEventStore store = JdbcEventStore.create(database.dataSource());
                EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            store.append("a", ExpectedVersion.none(), events("a1"));
            rollBack(database.dataSource(), store, 10);
            pollUntil(feed, 11);

            database.execute("SELECT setval('spream.events_position_seq', 1)");
            assertThatThrownBy(() -> feed.poll(10, SOON))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("after position 11")
                    .hasMessageContaining("lost");
            assertThatThrownBy(() -> source.open(new FeedRequest("p", 0, 1, 11)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("after position 11");
            try (EventFeed again = source.open(new FeedRequest("p", 0, 1, 1))) {
                store.append("a", ExpectedVersion.exactly(1), events("a2"));
                assertThat(ids(again.poll(10, SOON))).containsExactly("a2");
            }
            assertThat(lines.list)
                    .filteredOn(line -> line.getLevel() == Level.ERROR)
                    .hasSize(1);
        } finally {
            logger().detachAppender(lines);
            logger().setLevel(null);
        }
    }

    @Test
    void reading_all_events_reports_a_loss() throws Exception {
        try (TestDatabase database = new TestDatabase();
                JdbcEventStore store = JdbcEventStore.create(database.dataSource())) {
            store.append("a", ExpectedVersion.none(), events("a1"));
            rollBack(database.dataSource(), store, 10);
            assertThat(ids(store.readAll(0, 10))).containsExactly("a1");
            database.execute("SELECT setval('spream.events_position_seq', 1)");
            assertThatThrownBy(() -> store.readAll(11, 10))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("lost");
            assertThat(ids(store.readAll(0, 10))).containsExactly("a1");
        }
    }

    private static long kept(CrashingServer server) throws SQLException {
        return number(server, "SELECT position FROM spream.events_mark");
    }

    private static long given(CrashingServer server) throws SQLException {
        return number(server, "SELECT last_value FROM spream.events_position_seq");
    }

    private static long number(CrashingServer server, String sql) throws SQLException {
        return Long.parseLong(rows(server.dataSource(), sql).getFirst());
    }

    private static void rollBack(DataSource dataSource, JdbcEventStore store, int count) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < count; i++) {
                store.append(connection, "never" + i, ExpectedVersion.none(), events("never" + i));
            }
            connection.rollback();
        }
    }

    private static void pollUntil(EventFeed feed, long position) throws InterruptedException {
        long deadline = System.nanoTime() + SOON.toNanos();
        FeedBatch batch = feed.poll(10, MOMENT);
        while (batch.position() < position) {
            assertThat(System.nanoTime() - deadline).as("still at %s", batch).isNegative();
            batch = feed.poll(10, MOMENT);
        }
    }

    /** The connection of the feed's reader is broken by the crash for a while. */
    private static FeedBatch pollThroughFailures(EventFeed feed) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        FeedBatch batch = feed.poll(10, Duration.ZERO);
        while (batch.items().isEmpty() && System.nanoTime() < deadline) {
            try {
                batch = feed.poll(10, MOMENT);
            } catch (StorageException e) {
                assertThat(e.retryable()).as(e.getMessage()).isTrue();
            }
        }
        return batch;
    }

    private static ListAppender<ILoggingEvent> listen() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger().setLevel(Level.ERROR);
        logger().addAppender(lines);
        return lines;
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(HighWaterMark.class);
    }
}
