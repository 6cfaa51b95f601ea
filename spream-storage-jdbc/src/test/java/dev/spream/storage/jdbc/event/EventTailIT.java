package dev.spream.storage.jdbc.event;

import static dev.spream.storage.jdbc.event.TestEvents.SOON;
import static dev.spream.storage.jdbc.event.TestEvents.events;
import static dev.spream.storage.jdbc.event.TestEvents.ids;
import static dev.spream.storage.jdbc.event.TestEvents.rows;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests of the delivery of new events to feeds: waits, wake-ups and failures. */
@Timeout(120)
final class EventTailIT {
    private static final Duration MOMENT = Duration.ofMillis(300);
    private static final String SLEEPERS = """
            SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = %d AND granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""".formatted(EventTable.SLEEPERS);
    private static final String FALLING_ASLEEP = SLEEPERS.replace("granted", "NOT granted");
    private static final String INSERT = """
            INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
            VALUES ('%1$s', '%1$s', 1, 'Inserted', '{}', now())""";

    private final TestDatabase database = TestEvents.database();
    private final JdbcEventStore store = JdbcEventStore.create(database.dataSource());

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    @Test
    void a_late_commit_is_awaited_and_its_session_is_named() throws Exception {
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"));
                Connection late = DriverManager.getConnection(database.url() + "&ApplicationName=late")) {
            late.setAutoCommit(false);
            execute(late, INSERT.formatted("early"));
            store.append("a", ExpectedVersion.any(), events("a1"));

            assertThat(ids(feed.poll(10, MOMENT))).isEmpty();
            assertThat(store.readAll(0, 10)).isEmpty();
            assertThat(store.blockers()).singleElement().satisfies(blocker -> {
                assertThat(blocker.pid()).isEqualTo(pid(late));
                assertThat(blocker.application()).isEqualTo("late");
                assertThat(blocker.state()).contains("idle in transaction");
                assertThat(blocker.age())
                        .hasValueSatisfying(age -> assertThat(age).isPositive());
            });

            late.commit();
            assertThat(ids(feed.poll(10, SOON))).containsExactly("early", "a1");
            assertThat(store.blockers()).isEmpty();
        }
    }

    @Test
    void a_reader_that_starts_during_an_open_transaction_reads_the_final_events() throws Exception {
        store.append("a", ExpectedVersion.none(), events("a1", "a2"));
        assertThat(store.readAll(0, 10)).hasSize(2);
        try (Connection late = DriverManager.getConnection(database.url())) {
            late.setAutoCommit(false);
            execute(late, INSERT.formatted("early"));
            store.append("b", ExpectedVersion.none(), events("b1"));
            try (JdbcEventStore another = JdbcEventStore.create(database.dataSource());
                    EventSource source = another.source();
                    EventFeed feed = source.open(FeedRequest.all("p"))) {
                assertThat(ids(feed.poll(10, SOON))).containsExactly("a1", "a2");
                assertThat(ids(feed.poll(10, MOMENT))).isEmpty();
                late.commit();
                assertThat(ids(feed.poll(10, SOON))).containsExactly("early", "b1");
            }
            execute(late, INSERT.formatted("later"));
            try (JdbcEventStore another = JdbcEventStore.create(database.dataSource())) {
                assertThat(ids(another.readAll(0, 10))).containsExactly("a1", "a2", "early", "b1");
            }
            late.rollback();
        }
    }

    @Test
    void a_feed_counts_as_behind_what_was_given_until_new_events_can_be_looked_for() throws Exception {
        store.append("a", ExpectedVersion.none(), events("a1", "a2"));
        CountDownLatch connections = new CountDownLatch(1);
        try (HikariDataSource exhausted = exhaustedUntil(connections);
                JdbcEventStore another = JdbcEventStore.create(exhausted);
                EventSource source = another.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThat(pollUntil(feed, batch -> batch.head() > 0)).isEqualTo(new FeedBatch(List.of(), 0, 2));
            connections.countDown();
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a1", "a2");
        } finally {
            connections.countDown();
        }
    }

    @Test
    void a_feed_says_so_when_nothing_is_heard_of_the_server_for_long() throws Exception {
        CountDownLatch connections = new CountDownLatch(1);
        try (HikariDataSource exhausted = exhaustedUntil(connections);
                JdbcEventStore another = JdbcEventStore.create(exhausted);
                EventSource source = another.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            store.append("a", ExpectedVersion.none(), events("a1"));
            assertThatThrownBy(() -> pollUntil(feed, Duration.ZERO, batch -> false))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            e -> assertThat(e.retryable()).isTrue())
                    .hasMessageContaining("no response for");
            assertThatThrownBy(() -> feed.poll(10, SOON)).hasMessageContaining("no response for");
            connections.countDown();
            List<String> delivered = new ArrayList<>();
            TestEvents.await("an answer", () -> delivered.addAll(ids(pollAnyhow(feed))));
            assertThat(delivered).containsExactly("a1");
        } finally {
            connections.countDown();
        }
    }

    private static FeedBatch pollAnyhow(EventFeed feed) throws InterruptedException {
        try {
            return feed.poll(10, Duration.ZERO);
        } catch (StorageException e) {
            return new FeedBatch(List.of(), 0, 0);
        }
    }

    @Test
    void a_feed_waits_for_as_long_as_nothing_is_inserted() throws Exception {
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThat(feed.poll(10, Duration.ofSeconds(8))).isEqualTo(new FeedBatch(List.of(), 0, 0));
        }
    }

    /** Returns a pool without connections for readers of new events. */
    private HikariDataSource exhaustedUntil(CountDownLatch connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setMinimumIdle(0);
        return new HikariDataSource(config) {
            @Override
            public Connection getConnection() throws SQLException {
                if (Thread.currentThread().getName().startsWith("spream-events-")) {
                    await(connections);
                }
                return super.getConnection();
            }
        };
    }

    private static void await(CountDownLatch latch) throws SQLException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
    }

    @Test
    void events_behind_an_open_transaction_count_as_lag_until_it_ends() throws Exception {
        store.append("a", ExpectedVersion.none(), events("a1"));
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"));
                Connection late = DriverManager.getConnection(database.url())) {
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a1");
            late.setAutoCommit(false);
            execute(late, INSERT.formatted("early"));
            store.append("b", ExpectedVersion.none(), events("b1"));
            FeedBatch shut = pollUntil(feed, batch -> batch.head() == 3);
            assertThat(shut.items()).isEmpty();
            assertThat(shut.position()).isEqualTo(1);
            assertThat(shut.waited()).isPositive();
            store.append("b", ExpectedVersion.exactly(1), events("b2"));
            FeedBatch longer = pollUntil(feed, batch -> batch.head() == 4);
            assertThat(longer.waited()).isGreaterThan(shut.waited());
            late.rollback();
            assertThat(ids(feed.poll(10, SOON))).containsExactly("b1", "b2");
            FeedBatch open = feed.poll(10, MOMENT);
            assertThat(open.head()).isEqualTo(open.position()).isEqualTo(4);
            assertThat(open.waited()).isZero();
        }
    }

    private static FeedBatch pollUntil(EventFeed feed, Predicate<FeedBatch> wanted) throws InterruptedException {
        return pollUntil(feed, MOMENT, wanted);
    }

    private static FeedBatch pollUntil(EventFeed feed, Duration wait, Predicate<FeedBatch> wanted)
            throws InterruptedException {
        long deadline = System.nanoTime() + SOON.toNanos();
        FeedBatch batch = feed.poll(10, wait);
        while (!wanted.test(batch)) {
            assertThat(System.nanoTime() - deadline).as("still %s", batch).isNegative();
            batch = feed.poll(10, wait);
        }
        return batch;
    }

    @Test
    void a_rolled_back_position_is_not_awaited() throws Exception {
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"));
                Connection connection = DriverManager.getConnection(database.url())) {
            connection.setAutoCommit(false);
            execute(connection, INSERT.formatted("never"));
            connection.rollback();
            FeedBatch batch = feed.poll(10, MOMENT);
            while (batch.head() == 0) {
                batch = feed.poll(10, MOMENT);
            }
            assertThat(batch.items()).isEmpty();
            assertThat(batch.position()).isEqualTo(batch.head()).isEqualTo(1);
        }
    }

    @Test
    void a_role_with_few_privileges_learns_the_pid() throws Exception {
        database.execute(
                "DROP ROLE IF EXISTS event_reader",
                "CREATE ROLE event_reader LOGIN",
                "GRANT USAGE ON SCHEMA spream TO event_reader",
                "GRANT SELECT, INSERT ON spream.events TO event_reader",
                "GRANT SELECT ON spream.events_position_seq, spream.events_history TO event_reader");
        PGSimpleDataSource asReader = new PGSimpleDataSource();
        asReader.setUrl(database.url().replaceFirst("user=\\w+", "user=event_reader"));
        try (JdbcEventStore reader =
                        JdbcEventStore.builder(asReader).migrate(false).build();
                Connection late = DriverManager.getConnection(database.url())) {
            reader.append("a", ExpectedVersion.none(), events("a1"));
            assertThat(ids(reader.readAll(0, 10))).containsExactly("a1");
            late.setAutoCommit(false);
            execute(late, INSERT.formatted("early"));
            assertThat(reader.blockers()).singleElement().satisfies(blocker -> {
                assertThat(blocker.pid()).isEqualTo(pid(late));
                assertThat(blocker.state()).isEmpty();
                assertThat(blocker.age()).isEmpty();
                assertThat(blocker)
                        .hasToString(
                                "pid %d (postgres, 'PostgreSQL JDBC Driver', state hidden, open for an unknown time)"
                                        .formatted(pid(late)));
            });
            late.rollback();
        } finally {
            database.execute("DROP OWNED BY event_reader", "DROP ROLE event_reader");
        }
    }

    @Test
    void a_tailer_continues_after_its_connection_is_killed() throws Exception {
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            for (int round = 0; round < 3; round++) {
                String pid = awaitSleeper(Optional.empty());
                database.execute("SELECT pg_terminate_backend(%s)".formatted(pid));
                store.append("a", ExpectedVersion.exactly(round), events("a" + round));
                assertThat(ids(feed.poll(10, SOON))).containsExactly("a" + round);
                assertThat(awaitSleeper(Optional.of(pid))).isNotEqualTo(pid);
            }
        }
        assertThat(rows(database.dataSource(), SLEEPERS)).isEmpty();
    }

    @Test
    void an_insert_wakes_a_sleeping_tailer() throws Exception {
        List<Long> millis = new ArrayList<>();
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            for (int round = 0; round < 20; round++) {
                awaitSleeper(Optional.empty());
                String id = "a" + round;
                long begin = System.nanoTime();
                database.execute(INSERT.formatted(id));
                assertThat(ids(feed.poll(10, SOON))).containsExactly(id);
                millis.add(Duration.ofNanos(System.nanoTime() - begin).toMillis());
            }
        }
        millis.sort(null);
        System.out.println("event tail: insert -> deliver by a reader that slept, in ms: " + millis);
        assertThat(millis.get(millis.size() / 2))
                .as("median, in ms")
                .isLessThan(2_000); // readers that are not woken sleep for 5 s
    }

    @Test
    void events_that_another_reader_reads_while_a_tailer_falls_asleep_are_delivered() throws Exception {
        String locks = "(%d, 'spream.events'::regclass::oid::int)".formatted(EventTable.SLEEPERS);
        try (Connection holder = DriverManager.getConnection(database.url())) {
            execute(holder, "SELECT pg_advisory_lock" + locks);
            try (EventSource source = store.source();
                    EventFeed feed = source.open(FeedRequest.all("p"))) {
                TestEvents.await(
                        "a tailer that falls asleep",
                        () -> !rows(database.dataSource(), FALLING_ASLEEP).isEmpty());
                store.append("a", ExpectedVersion.none(), events("a1"));
                assertThat(ids(store.readAll(0, 10))).containsExactly("a1");
                execute(holder, "SELECT pg_advisory_unlock" + locks);
                assertThat(ids(feed.poll(10, SOON))).containsExactly("a1");
            }
        }
    }

    @Test
    void nothing_is_kept_once_the_last_feed_has_left() throws Exception {
        EventDatabase events = eventDatabase();
        RecentEvents recent = new RecentEvents();
        EventTail tail = new EventTail(events, new HighWaterMark(events, recent), recent);
        tail.join(0);
        tail.join(0);
        TestEvents.await("a look", () -> recent.end().isPresent());
        tail.leave();
        assertThat(recent.end()).isPresent();
        tail.leave();
        assertThat(recent.end()).isEmpty();
    }

    @Test
    void a_connection_that_is_given_back_waits_for_answers_as_long_as_before() throws Exception {
        EventDatabase events = eventDatabase();
        RecentEvents recent = new RecentEvents();
        HighWaterMark mark = new HighWaterMark(events, recent);
        Tailer tailer = Tailer.start(events, mark, recent);
        tailer.close();
        try (Connection connection = DriverManager.getConnection(database.url())) {
            connection.setNetworkTimeout(Runnable::run, 60_000);
            new TailSession(connection, events, mark, recent, tailer).run();
            assertThat(connection.getNetworkTimeout()).isEqualTo(60_000);
        }
    }

    private EventDatabase eventDatabase() {
        return new EventDatabase(
                database.dataSource(), new EventTable(new SchemaName("spream"), "events"), Duration.ofSeconds(5));
    }

    @Test
    void inserts_send_no_notification_while_no_tailer_sleeps() throws Exception {
        String channel = new EventTable(new SchemaName("spream"), "events").channel();
        try (Connection listening = DriverManager.getConnection(database.url())) {
            execute(listening, "LISTEN " + channel);
            for (int i = 0; i < 10; i++) {
                database.execute(INSERT.formatted("quiet" + i));
            }
            assertThat(listening.unwrap(PGConnection.class).getNotifications(1)).isEmpty();
            try (EventSource source = store.source();
                    EventFeed feed = source.open(FeedRequest.all("p"))) {
                assertThat(ids(feed.poll(100, SOON))).hasSize(10);
                awaitSleeper(Optional.empty());
                database.execute(INSERT.formatted("loud"));
                assertThat(listening.unwrap(PGConnection.class).getNotifications(10_000))
                        .isNotEmpty();
            }
        }
    }

    @Test
    void feeds_that_are_far_behind_read_the_table_and_then_the_new_events() throws Exception {
        int count = RecentEvents.MAX_EVENTS + 5_000;
        database.execute("""
                INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
                SELECT 'e' || n, 'aggregate' || n %% 1000, 1 + n / 1000, 'Inserted', '{}', now()
                FROM generate_series(0, %d) AS n""".formatted(count - 1));
        Set<String> delivered = new HashSet<>();
        try (EventSource source = store.source()) {
            for (int segment = 0; segment < 8; segment++) {
                try (EventFeed feed = source.open(new FeedRequest("p", segment, 8, 0))) {
                    FeedBatch batch = feed.poll(700, MOMENT);
                    while (batch.head() == 0 || batch.position() < batch.head()) {
                        ids(batch).forEach(id -> assertThat(delivered.add(id)).isTrue());
                        batch = feed.poll(700, MOMENT);
                    }
                    delivered.addAll(ids(batch));
                }
            }
            assertThat(delivered).hasSize(count);
            try (EventFeed feed = source.open(new FeedRequest("p", 0, 1, count))) {
                store.append("new", ExpectedVersion.none(), events("new"));
                assertThat(ids(feed.poll(10, SOON))).containsExactly("new");
            }
        }
    }

    @Test
    void a_table_with_a_disabled_barrier_is_not_read() throws Exception {
        try (EventSource source = store.source()) {
            database.execute("ALTER TABLE spream.events DISABLE TRIGGER events_barrier");
            assertThatThrownBy(() -> source.open(FeedRequest.all("p")))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("events_barrier");
            // such a trigger does not fire for replicated rows
            database.execute("ALTER TABLE spream.events ENABLE TRIGGER events_barrier");
            assertThatThrownBy(() -> source.open(FeedRequest.all("p")))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("events_barrier");
            database.execute(
                    "ALTER TABLE spream.events ENABLE ALWAYS TRIGGER events_barrier",
                    "ALTER SEQUENCE spream.events_position_seq CACHE 10");
            assertThatThrownBy(() -> JdbcEventStore.create(database.dataSource()))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("does not increment by 1");
        }
    }

    /** The server's process of a tailer that sleeps, another one than before. */
    private String awaitSleeper(Optional<String> before) throws SQLException {
        long deadline = System.nanoTime() + SOON.toNanos();
        List<String> found = rows(database.dataSource(), SLEEPERS);
        while (found.isEmpty() || before.equals(Optional.of(found.getFirst()))) {
            assertThat(System.nanoTime() - deadline).as("no tailer fell asleep").isNegative();
            LockSupport.parkNanos(5_000_000);
            found = rows(database.dataSource(), SLEEPERS);
        }
        return requireNonNull(found.getFirst());
    }

    private static int pid(Connection connection) throws SQLException {
        return connection.unwrap(PGConnection.class).getBackendPID();
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
