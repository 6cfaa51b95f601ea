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
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** Tests of the stored high-water mark, which later readers start from. */
@Timeout(120)
final class StoredHighWaterMarkIT {
    private static final int HELD_UP = 7;
    private static final String WAITERS = """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = %d AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""".formatted(HELD_UP);

    private final TestDatabase database = TestEvents.database();
    private final JdbcEventStore store = JdbcEventStore.create(database.dataSource());

    @AfterEach
    void close() {
        store.close();
        database.close();
    }

    private StoredHighWaterMark process() {
        return new StoredHighWaterMark(new EventDatabase(
                database.dataSource(), new EventTable(new SchemaName("spream"), "events"), Duration.ofSeconds(5)));
    }

    private void write(StoredHighWaterMark process, long mark) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            process.writeNow(connection, mark);
        }
    }

    private long kept() throws SQLException {
        return Long.parseLong(rows(database.dataSource(), "SELECT position FROM spream.events_mark")
                .getFirst());
    }

    private void given(long position) {
        database.execute("SELECT setval('spream.events_position_seq', %d)".formatted(position));
    }

    @Test
    void it_never_goes_back_whichever_process_comes_last() throws SQLException {
        given(10);
        StoredHighWaterMark ann = process();
        StoredHighWaterMark bob = process();
        write(ann, 7);
        write(bob, 5);
        assertThat(kept()).isEqualTo(7);
        write(bob, 8);
        write(ann, 6);
        assertThat(kept()).isEqualTo(8);
        assertThat(process().read()).isEqualTo(OptionalLong.of(8));
    }

    @Test
    void of_two_stores_that_read_the_one_that_is_late_does_not_take_it_back() throws Exception {
        database.execute(
                "CREATE TABLE public.marks (id bigint GENERATED ALWAYS AS IDENTITY, position bigint)",
                """
                CREATE FUNCTION public.hold_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF current_setting('application_name') = 'late' THEN
                        PERFORM pg_advisory_xact_lock(%d);
                    END IF;
                    RETURN NULL;
                END $$""".formatted(HELD_UP),
                """
                CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    INSERT INTO public.marks (position) VALUES (NEW.position);
                    RETURN NULL;
                END $$""",
                """
                CREATE TRIGGER hold_up BEFORE UPDATE ON spream.events_mark
                    FOR EACH STATEMENT EXECUTE FUNCTION public.hold_up()""",
                """
                CREATE TRIGGER note AFTER UPDATE ON spream.events_mark
                    FOR EACH ROW EXECUTE FUNCTION public.note()""");
        PGSimpleDataSource asLate = new PGSimpleDataSource();
        asLate.setUrl(database.url() + "&ApplicationName=late");
        try (Connection holder = DriverManager.getConnection(database.url());
                JdbcEventStore late = JdbcEventStore.create(asLate);
                EventSource lateSource = late.source();
                EventFeed lateFeed = lateSource.open(FeedRequest.all("late"))) {
            execute(holder, "SELECT pg_advisory_lock(%d)".formatted(HELD_UP));
            store.append("a", ExpectedVersion.none(), events("a1"));
            assertThat(ids(lateFeed.poll(10, SOON))).containsExactly("a1");
            TestEvents.await(
                    "a late reader", () -> rows(database.dataSource(), WAITERS).equals(List.of("1")));
            store.append("a", ExpectedVersion.exactly(1), events("a2", "a3"));
            try (EventSource source = store.source();
                    EventFeed feed = source.open(FeedRequest.all("p"))) {
                assertThat(ids(feed.poll(10, SOON))).containsExactly("a1", "a2", "a3");
                TestEvents.await("its mark", () -> kept() == 3);
            }
            execute(holder, "SELECT pg_advisory_unlock(%d)".formatted(HELD_UP));
            assertThat(ids(lateFeed.poll(10, SOON))).containsExactly("a2", "a3");
            store.append("a", ExpectedVersion.exactly(3), events("a4"));
            assertThat(ids(lateFeed.poll(10, SOON))).containsExactly("a4");
            TestEvents.await("the mark of the late reader", () -> kept() == 4);
        }
        assertThat(rows(database.dataSource(), "SELECT position FROM public.marks ORDER BY id"))
                .containsExactly("3", "4");
    }

    @Test
    void it_is_not_ahead_of_the_positions_that_were_given() throws SQLException {
        given(10);
        write(process(), 11);
        assertThat(kept()).isZero();
    }

    @Test
    void the_position_that_feeds_have_read_is_stored() throws Exception {
        store.append("a", ExpectedVersion.none(), events("a1", "a2"));
        try (EventSource source = store.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a1", "a2");
            store.append("a", ExpectedVersion.exactly(2), events("a3"));
            assertThat(ids(feed.poll(10, SOON))).containsExactly("a3");
            TestEvents.await("the mark", () -> kept() == 3);
        }
        assertThat(kept()).isEqualTo(3);
    }

    @Test
    void one_that_is_ahead_of_the_sequence_is_told_and_passes_over_nothing() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger().setLevel(Level.ERROR);
        logger().addAppender(lines);
        given(100);
        write(process(), 100);
        given(1);
        try (EventSource source = store.source()) {
            assertThatThrownBy(() -> source.open(new FeedRequest("p", 0, 1, 100)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("after position 100")
                    .hasMessageContaining("lost");
            try (EventFeed feed = source.open(new FeedRequest("p", 0, 1, 1))) {
                store.append("a", ExpectedVersion.none(), events("a1"));
                assertThat(ids(feed.poll(10, SOON))).containsExactly("a1");
            }
            assertThat(kept()).isEqualTo(2);
            assertThat(lines.list)
                    .filteredOn(line -> line.getLevel() == Level.ERROR)
                    .singleElement()
                    .asString()
                    .contains("lost positions", "the last one is 1, 100 was read before");
        } finally {
            logger().detachAppender(lines);
            logger().setLevel(null);
        }
    }

    @Test
    void a_reader_without_the_privilege_to_store_the_mark_continues() throws Exception {
        database.execute(
                "DROP ROLE IF EXISTS mark_reader",
                "CREATE ROLE mark_reader LOGIN",
                "GRANT USAGE ON SCHEMA spream TO mark_reader",
                "GRANT SELECT ON ALL TABLES IN SCHEMA spream TO mark_reader",
                "GRANT SELECT ON ALL SEQUENCES IN SCHEMA spream TO mark_reader");
        store.append("a", ExpectedVersion.none(), events("a1"));
        try {
            readsAsReader(List.of("a1"));
            assertThat(kept()).isZero();
            assertThat(store.readAll(0, 10)).hasSize(1);
            assertThat(kept()).isEqualTo(1);
            readsAsReader(List.of("a1"));
            database.execute("REVOKE SELECT ON spream.events_mark FROM mark_reader");
            readsAsReader(List.of("a1"));
        } finally {
            database.execute("DROP OWNED BY mark_reader", "DROP ROLE mark_reader");
        }
    }

    @Test
    void a_mark_refused_by_a_read_only_connection_is_stored_later() throws SQLException {
        given(10);
        StoredHighWaterMark process = process();
        try (Connection connection = DriverManager.getConnection(database.url())) {
            execute(connection, "SET default_transaction_read_only = on");
            process.writeNow(connection, 7);
            assertThat(kept()).isZero();
            execute(connection, "SET default_transaction_read_only = off");
            process.writeNow(connection, 7);
        }
        assertThat(kept()).isEqualTo(7);
    }

    private void readsAsReader(List<String> expected) throws Exception {
        PGSimpleDataSource asReader = new PGSimpleDataSource();
        asReader.setUrl(database.url().replaceFirst("user=\\w+", "user=mark_reader"));
        try (JdbcEventStore reader =
                        JdbcEventStore.builder(asReader).migrate(false).build();
                EventSource source = reader.source();
                EventFeed feed = source.open(FeedRequest.all("p"))) {
            assertThat(ids(feed.poll(10, SOON))).isEqualTo(expected);
            assertThat(ids(reader.readAll(0, 10))).isEqualTo(expected);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(StoredHighWaterMark.class);
    }
}
