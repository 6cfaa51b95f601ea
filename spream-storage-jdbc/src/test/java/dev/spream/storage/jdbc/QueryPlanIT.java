package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that the workers' frequent queries cost no more after 10,000 partitions have finished, with any statistics:
 * before the table was ever analyzed and after, with a plan for these values and with a generic one.
 */
final class QueryPlanIT {
    private static final SchemaName SCHEMA = new SchemaName("spream");
    private static final int FINISHED = 10_000;
    private static final int UNFINISHED = 50;
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    private static TestDatabase database;

    @BeforeAll
    static void fill() {
        database = new TestDatabase();
        JdbcPartitionStorage.create(database.dataSource(), "orders").close();
        database.execute("ALTER TABLE spream.partitions SET (autovacuum_enabled = false)");
        database.execute("""
                INSERT INTO spream.partitions
                    (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, epoch, owner,
                    created_at, finished_at, end_kind, end_timestamp, end_children)
                SELECT 'orders', %s, repeat('x', 130) || n, ARRAY[repeat('x', 130) || (n - 50)], n, n, 'FINISHED', 1, 'ann',
                    now(), now(), 'CHILD_PARTITIONS', n + 1, ARRAY[repeat('x', 130) || (n + 50)]
                FROM generate_series(1, %d) AS n""".formatted(PartitionRow.hashOf("repeat('x', 130) || n"), FINISHED));
        database.execute("""
                INSERT INTO spream.partitions
                    (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, epoch, owner,
                    lease_until, created_at, move_in_timestamp, move_in_sources)
                SELECT 'orders', %s, 'p' || n, ARRAY[repeat('x', 130) || n, repeat('x', 130) || (n + 1)], n, n, 'RUNNING', 1,
                    'ann', now() + interval '1 hour', now(), n, ARRAY[repeat('x', 130) || (n + 100), repeat('x', 130) || (n + 101)]
                FROM generate_series(1, %d) AS n""".formatted(PartitionRow.hashOf("'p' || n"), UNFINISHED));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @ParameterizedTest
    @CsvSource({"false, auto", "false, force_generic_plan", "true, auto", "true, force_generic_plan"})
    void frequent_queries_of_workers_use_an_index(boolean analyzed, String planMode) throws SQLException {
        if (analyzed) {
            database.execute("ANALYZE spream.partitions");
        }
        List<String> tokens =
                IntStream.rangeClosed(1, UNFINISHED).mapToObj(n -> "p" + n).toList();
        List<String> owners = tokens.stream().map(token -> "ann").toList();
        List<Long> epochs = tokens.stream().map(token -> 1L).toList();
        List<BigDecimal> watermarks =
                tokens.stream().map(token -> BigDecimal.valueOf(FINISHED)).toList();
        List<String> destinations = tokens.stream()
                .map(token -> Parameters.arrayText(List.of(token, "another")))
                .toList();
        Map<String, Plan> plans = Map.of(
                "look",
                explain(planMode, FrontierLooks.LOOK, look(Optional.empty(), List.of())),
                "acquire",
                explain(
                        planMode,
                        PartitionLeases.ACQUIRE,
                        p -> p.texts(tokens)
                                .numbers(epochs)
                                .text("orders")
                                .text("bob")
                                .number(1)
                                .text("orders")),
                "renew",
                explain(
                        planMode,
                        PartitionLeases.RENEW,
                        p -> p.texts(tokens)
                                .texts(owners)
                                .numbers(epochs)
                                .text("orders")
                                .number(3_600_000_000L)
                                .text("orders")),
                "advance",
                explain(
                        planMode,
                        WatermarkWrites.ADVANCE,
                        p -> p.texts(tokens)
                                .texts(owners)
                                .numbers(epochs)
                                .decimals(watermarks, watermark -> watermark)
                                .texts(tokens)
                                .texts(destinations)
                                .text("orders")
                                .text("orders")));

        plans.forEach((name, plan) -> {
            assertThat(plan.text()).as(name).doesNotContain("Seq Scan on partitions");
            assertThat(plan.pages())
                    .as("pages read by %s:\n%s", name, plan.text())
                    .isLessThan(60 * UNFINISHED / 3);
        });
    }

    @Test
    void no_plan_is_kept_from_when_the_table_was_small() throws SQLException {
        try (HikariDataSource pool = database.open()) {
            JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders");
            pool.getHikariConfigMXBean().setMaximumPoolSize(1);
            for (int call = 0; call < 20; call++) {
                storage.workers();
            }
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet kept = statement.executeQuery("SELECT statement FROM pg_prepared_statements")) {
                assertThat(kept.next()).as("a statement that stays prepared").isFalse();
            }
        }
    }

    static Database.Binder look(Optional<String> mark, List<String> watched) {
        Optional<String[]> parts = mark.map(text -> text.split("/"));
        return p -> p.text("orders")
                .optionalText(parts.map(part -> part[0]))
                .optionalText(parts.map(part -> part[1]))
                .optionalText(parts.map(part -> part[2]))
                .text("orders")
                .text("orders")
                .texts(watched)
                .text("orders")
                .text("orders")
                .text("orders");
    }

    private static Plan explain(String planMode, String sql, Database.Binder binder) throws SQLException {
        return explain(database, planMode, sql, binder);
    }

    static Plan explain(TestDatabase database, String planMode, String sql, Database.Binder binder)
            throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement settings = connection.createStatement()) {
            settings.execute("SET plan_cache_mode = " + planMode);
            try (PreparedStatement statement =
                    connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + SCHEMA.in(sql))) {
                binder.bind(new Parameters(connection, statement));
                List<String> lines = new ArrayList<>();
                try (ResultSet result = statement.executeQuery()) {
                    while (result.next()) {
                        lines.add(result.getString(1));
                    }
                }
                return new Plan(String.join("\n", lines));
            } finally {
                settings.execute("RESET plan_cache_mode");
            }
        }
    }

    /** The first line about pages is that of the whole. */
    record Plan(String text) {
        int pages() {
            Matcher matcher = PAGES.matcher(text);
            assertThat(matcher.find()).as(text).isTrue();
            return Integer.parseInt(matcher.group(1))
                    + (matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2)));
        }
    }
}
