package dev.spream.storage.jdbc.event;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that frequent queries read by index, however many events there are; before the table was ever analyzed and
 * after, with a plan for these values and with a generic one.
 */
@Tag("proof")
@Timeout(300)
final class EventPlanIT {
    private static final EventTable TABLE = new EventTable(new SchemaName("spream"), "events");
    private static final int EVENTS = 100_000;
    private static final int LIMIT = 100;
    private static final int READS = 15; // the driver names a statement, and the server tries others, five times each
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    /** For each event: the row, its three indexes, the sequence, the pages on the way. */
    private static final int PAGES_OF_AN_EVENT = 40;

    private static TestDatabase database;

    @BeforeAll
    static void fill() {
        database = new TestDatabase();
        JdbcEventStore.create(database.dataSource()).close();
        database.execute("ALTER TABLE spream.events SET (autovacuum_enabled = false)", """
                INSERT INTO spream.events (event_id, aggregate_id, event_version, event_type, event_data, occurred_at)
                SELECT 'e' || n, 'aggregate' || n %% 1000, 1 + n / 1000, 'Inserted', '{"some": "data"}', now()
                FROM generate_series(0, %d) AS n""".formatted(EVENTS - 1));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @ParameterizedTest
    @CsvSource({"false, auto", "false, force_generic_plan", "true, auto", "true, force_generic_plan"})
    void frequent_queries_use_an_index(boolean analyzed, String planMode) throws SQLException {
        if (analyzed) {
            database.execute("ANALYZE spream.events");
        }
        AppendRequest one = AppendRequest.of("aggregate7", ExpectedVersion.exactly(100), TestEvents.events("new"));
        AppendRequest several =
                AppendRequest.of("aggregate7", ExpectedVersion.any(), TestEvents.events("n1", "n2", "n3"));
        Map<String, String> plans = new LinkedHashMap<>();
        plans.put("append one", explain(planMode, AppendStatement.sql(one), p -> AppendStatement.bind(p, one)));
        plans.put(
                "append several",
                explain(planMode, AppendStatement.sql(several), p -> AppendStatement.bind(p, several)));
        plans.put(
                "look",
                explain(
                        planMode,
                        AppendStatement.LOOK,
                        p -> p.text("aggregate7").texts(List.of("e1", "e2", "nobody"))));
        plans.put(
                "aggregate",
                explain(
                        planMode,
                        EventReads.OF_AGGREGATE,
                        p -> p.text("aggregate7").number(50).number(LIMIT)));
        plans.put(
                "tail",
                explain(
                        planMode,
                        EventReads.RANGE,
                        p -> p.number(EVENTS - 50).number(EVENTS).number(LIMIT)));
        plans.put(
                "from the beginning",
                explain(
                        planMode,
                        EventReads.RANGE,
                        p -> p.number(0).number(EVENTS).number(LIMIT)));
        plans.put(
                "half of the slots",
                explain(
                        planMode,
                        EventReads.SLOTS,
                        p -> p.number(500)
                                .number(500 + EventReads.MIN_WINDOW)
                                .number(0)
                                .number(127)
                                .number(LIMIT)));

        plans.forEach((name, plan) -> {
            assertThat(plan).as(name).doesNotContain("Seq Scan on events");
            assertThat(pages(plan)).as("pages read by %s:\n%s", name, plan).isLessThan(LIMIT * PAGES_OF_AN_EVENT / 10);
        });
    }

    @Test
    void the_reads_of_a_feed_that_is_behind_use_plans_that_the_session_keeps() throws Exception {
        try (HikariDataSource two = new HikariDataSource()) { // sessions: one reads new events
            two.setDataSource(database.dataSource());
            two.setMaximumPoolSize(2);
            try (JdbcEventStore store = JdbcEventStore.create(two);
                    EventSource source = store.source();
                    EventFeed feed = source.open(new FeedRequest("p", 0, 2, 0))) {
                for (int read = 0; read < READS; read++) {
                    assertThat(feed.poll(LIMIT * 10, TestEvents.SOON).items()).hasSize(LIMIT * 10);
                }
            }
            try (Connection one = two.getConnection();
                    Connection other = two.getConnection()) {
                assertThat(generic(one) + generic(other)).isPositive();
            }
        }
    }

    /** Returns how often the session has read slots by a plan that it keeps. */
    private static long generic(Connection session) throws SQLException {
        return Statements.answer(
                session,
                "SELECT coalesce(sum(generic_plans), 0) FROM pg_prepared_statements WHERE statement LIKE '%slot BETWEEN%'",
                row -> row.getLong(1));
    }

    /** Runs it, and takes back what it did, so that the next one finds the same. */
    private static String explain(String planMode, String sql, Database.Binder binder) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement settings = connection.createStatement()) {
            connection.setAutoCommit(false);
            settings.execute("SET LOCAL plan_cache_mode = " + planMode);
            try (PreparedStatement statement =
                    connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + TABLE.in(sql))) {
                binder.bind(new Parameters(connection, statement));
                List<String> lines = new ArrayList<>();
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        lines.add(result.getString(1));
                    }
                }
                return String.join("\n", lines);
            } finally {
                connection.rollback();
            }
        }
    }

    /** The first line about pages is that of the whole. */
    private static int pages(String plan) {
        Matcher matcher = PAGES.matcher(plan);
        assertThat(matcher.find()).as(plan).isTrue();
        return Integer.parseInt(matcher.group(1)) + (matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2)));
    }
}
