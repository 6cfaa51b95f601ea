package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.event;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.Fence;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that sessions keep the plans of the statements of a batch, but none of a table that has grown since. */
@Timeout(120)
final class KeptPlansOfBatchesIT {
    /** The driver prepares a statement when it executes it for the fifth time, and the server then plans five executions. */
    private static final int BATCHES = 40;

    private final TestProjections test = new TestProjections();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void statements_of_each_batch_are_planned_once_in_a_session() throws Exception {
        Fence.Segment held = test.held(ANN);
        try (HikariDataSource one = session();
                JdbcProjectionStore store = JdbcProjectionStore.create(one)) {
            apply(store, held, 1);
            assertThat(kept(one)).contains("fence", "keys", "write", "checkpoint");
        }
        assertThat(test.balances()).containsExactly("a," + BATCHES);
    }

    @Test
    void statements_of_a_projection_that_statistics_do_not_contain_are_planned_once_in_a_session() throws Exception {
        addKeys("others", "other", 20_000);
        test.execute("VACUUM ANALYZE spream.projection_keys");
        statements_of_each_batch_are_planned_once_in_a_session();
    }

    @Test
    void a_plan_for_a_small_table_is_not_used_after_it_has_grown() throws Exception {
        Fence.Segment held = test.held(ANN);
        addKeys("balances", "few", 3);
        test.execute("VACUUM ANALYZE spream.projection_keys");
        try (HikariDataSource one = session();
                JdbcProjectionStore store = JdbcProjectionStore.create(one)) {
            apply(store, held, 1);
            assertThat(scans(one)).as("the plan for a small table").isPositive();
            addKeys("balances", "many", 20_000);

            Thread.sleep(Duration.ofMillis(1_100)); // plans are kept for a second
            apply(store, held, BATCHES + 1);
            long before = scans(one);
            apply(store, held, 2 * BATCHES + 1);
            assertThat(scans(one)).isEqualTo(before);
        }
    }

    private void addKeys(String projection, String name, int count) {
        test.execute("""
                INSERT INTO spream.projection_keys (projection, key, last_version, parked)
                SELECT '%s', '%s' || n, 1, false FROM generate_series(1, %d) AS n""".formatted(projection, name, count));
    }

    private HikariDataSource session() {
        HikariDataSource one = new HikariDataSource();
        one.setDataSource(test.dataSource());
        one.setMaximumPoolSize(1);
        return one;
    }

    private static void apply(JdbcProjectionStore store, Fence held, long from) throws Exception {
        for (long version = from; version < from + BATCHES; version++) {
            List<EventEnvelope> events = List.of(event("a", version));
            assertThat(store.apply(
                            held,
                            TestProjections.keys(events),
                            TestProjections.counting(OptionalLong.of(version), events)))
                    .isTrue();
        }
    }

    /** Returns how often the session has read the table from its beginning. */
    private static long scans(HikariDataSource session) throws SQLException {
        try (Connection connection = session.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            try (ResultSet row = statement.executeQuery(
                    "SELECT seq_scan FROM pg_stat_user_tables WHERE relname = 'projection_keys'")) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Returns the statements that the session has executed with a kept plan. */
    private static List<String> kept(HikariDataSource sessions) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection connection = sessions.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT CASE
                                WHEN statement LIKE '%FOR KEY SHARE OF s%' THEN 'fence'
                                WHEN statement LIKE '%SELECT key, last_version%' THEN 'keys'
                                WHEN statement LIKE '%UPDATE "spream".projection_keys%' THEN 'write'
                                WHEN statement LIKE '%SET dealt = dealt%' THEN 'checkpoint'
                                ELSE statement
                            END
                        FROM pg_prepared_statements WHERE generic_plans > 0""")) {
            while (row.next()) {
                names.add(row.getString(1).strip());
            }
        }
        return names;
    }
}
