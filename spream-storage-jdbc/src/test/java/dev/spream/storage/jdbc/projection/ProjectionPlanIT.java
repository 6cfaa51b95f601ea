package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.Fence;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that the queries of a batch, and those while nothing is due, read by index, however many aggregates are stored
 * and parked; before the tables were ever analyzed and after, with a plan for these values and with a generic one.
 */
@Tag("proof")
@Timeout(300)
final class ProjectionPlanIT {
    private static final int KEYS = 100_000;
    private static final int PARKED = 20_000;
    private static final int SEGMENTS = 16;
    private static final int OTHERS = 300;
    private static final int PARKED_OF_OTHERS = 40;
    private static final String WAITING = "waiting";
    private static final int BATCH = 100;
    private static final int PAGES_OF_A_KEY = 15;
    private static final SchemaName SCHEMA = new SchemaName("spream");
    private static final Pattern ROWS = Pattern.compile("actual time=\\S+ rows=([\\d.]+)");
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");

    private static TestProjections test;

    /** Two segments have aggregates that are due; those of {@code waiting} have very many that are not. */
    @BeforeAll
    static void fill() {
        test = new TestProjections();
        Fence.Segment held = test.held(ANN);
        assertThat(held.epoch()).isEqualTo(1);
        test.execute(
                "ALTER TABLE spream.projection_segments SET (autovacuum_enabled = false)",
                "ALTER TABLE spream.projection_keys SET (autovacuum_enabled = false)",
                "ALTER TABLE spream.projection_parked_keys SET (autovacuum_enabled = false)",
                "ALTER TABLE spream.projection_parked_events SET (autovacuum_enabled = false)",
                """
                INSERT INTO spream.projection_keys (projection, key, last_version, parked)
                SELECT p, 'key' || n, 1, n <= %d FROM generate_series(1, %d) AS n, unnest(ARRAY['%s', 'other']) AS p""".formatted(PARKED, KEYS, NAME),
                """
                INSERT INTO spream.projection_parked_keys (projection, key, aggregate_id, segment, reason, attempts, error,
                    since, next_try, events)
                SELECT '%s', 'key' || n, 'key' || n, n %% 2, 'GAP', 0, 'missing', now() + n * interval '1 ms',
                    CASE WHEN n <= %d THEN now() - n * interval '1 ms' WHEN n %% 3 = 0 THEN NULL
                        ELSE now() + interval '1 hour' END, 3
                FROM generate_series(1, %d) AS n""".formatted(NAME, 2 * BATCH, PARKED),
                """
                INSERT INTO spream.projection_segments (projection, segment)
                SELECT p, s FROM generate_series(0, %d) AS s,
                    (SELECT 'other' || n FROM generate_series(1, %d) AS n UNION ALL VALUES ('%s'), ('%s')) AS projections (p)
                ON CONFLICT DO NOTHING""".formatted(SEGMENTS - 1, OTHERS, NAME, WAITING),
                """
                INSERT INTO spream.projection_parked_keys (projection, key, aggregate_id, segment, reason, attempts, error,
                    since, next_try, events)
                SELECT p, 'key' || n, 'key' || n, n %% %d, 'TRANSIENT', 1, 'no connection', now(), due, 1
                FROM (SELECT 'other' || o, n, now() FROM generate_series(1, %d) AS o, generate_series(1, %d) AS n
                    UNION ALL
                    SELECT '%s', n, now() + interval '1 hour' FROM generate_series(1, %d) AS n) AS parked (p, n, due)""".formatted(SEGMENTS, OTHERS, PARKED_OF_OTHERS, WAITING, KEYS),
                """
                INSERT INTO spream.projection_parked_events (projection, key, event_version, event_id, event_type, event_data,
                    occurred_at, correlation_id, user_id, source_service)
                SELECT '%s', 'key' || n, v, n || '/' || v, 't', '{}', 0, '', '', ''
                FROM generate_series(1, %d) AS n, generate_series(3, 5) AS v""".formatted(NAME, PARKED));
    }

    @AfterAll
    static void close() {
        test.close();
    }

    @ParameterizedTest
    @CsvSource({"false, auto", "false, force_generic_plan", "true, auto", "true, force_generic_plan"})
    void queries_of_batches_use_an_index(boolean analyzed, String planMode) throws SQLException {
        if (analyzed) {
            test.execute(
                    "ANALYZE spream.projection_segments",
                    "ANALYZE spream.projection_keys",
                    "ANALYZE spream.projection_parked_keys",
                    "ANALYZE spream.projection_parked_events");
        }
        List<String> keys = IntStream.range(0, BATCH)
                .mapToObj(n -> "key" + (PARKED + 1 + n * 700))
                .toList();
        List<String> parked =
                IntStream.range(0, BATCH).mapToObj(n -> "key" + (1 + n * 150)).toList();
        Map<String, Plan> plans = new LinkedHashMap<>();
        plans.put("read", explain(planMode, KeyTable.READ, p -> p.text(NAME).texts(keys)));
        plans.put(
                "progress",
                explain(planMode, ProgressQuery.PROGRESS, p -> p.text(NAME).texts(parked)));
        plans.put("lock", explain(planMode, KeyTable.LOCK, p -> p.text(NAME).texts(parked)));
        plans.put("add", explain(planMode, KeyTable.ADD, p -> p.text(NAME).texts(keys)));
        plans.put(
                "write",
                explain(
                        planMode,
                        KeyTable.WRITE,
                        p -> p.text(NAME)
                                .texts(keys)
                                .numbers(Collections.nCopies(BATCH, 2L))
                                .flags(Collections.nCopies(BATCH, false), flag -> flag)));
        plans.put(
                "advance",
                explain(
                        planMode,
                        KeyTable.ADVANCE,
                        p -> p.text(versions(keys)).text(NAME).texts(keys)));
        plans.put(
                "wake",
                explain(
                        planMode,
                        ParkedAggregateTable.WAKE,
                        p -> p.texts(parked).text(NAME)));
        plans.put(
                "due",
                explain(
                        planMode,
                        ParkedAggregateTable.DUE,
                        p -> p.text(NAME).number(1).number(BATCH)));
        plans.put("due segments", explain(planMode, ParkedAggregateTable.DUE_SEGMENTS, p -> p.text(NAME)));
        plans.put("no due segments", explain(planMode, ParkedAggregateTable.DUE_SEGMENTS, p -> p.text(WAITING)));
        plans.put(
                "list",
                explain(planMode, ParkedAggregateTable.LIST, p -> p.text(NAME).number(BATCH)));
        plans.put(
                "retry",
                explain(
                        planMode,
                        ParkedRetry.EVENTS,
                        p -> p.text(NAME).text("key5").text(NAME).text("key5").number(BATCH)));
        plans.put(
                "unpark",
                explain(planMode, ParkedRetry.UNPARK, p -> p.text(NAME).text("key5")));

        assertThat(List.of("read", "progress", "lock", "due", "list"))
                .allSatisfy(name -> assertThat(requireNonNull(plans.get(name)).text())
                        .containsPattern("actual time=\\S+ rows=" + BATCH));
        assertThat(requireNonNull(plans.get("due segments")).rows()).isEqualTo(2);
        assertThat(requireNonNull(plans.get("no due segments")).rows()).isZero();
        assertThat(List.of("due segments", "no due segments"))
                .allSatisfy(name ->
                        assertThat(requireNonNull(plans.get(name)).pages()).isLessThan(SEGMENTS * PAGES_OF_A_KEY));
        plans.forEach((name, plan) -> {
            assertThat(plan.text())
                    .as(name)
                    .doesNotContain(
                            "Seq Scan on projection_segments",
                            "Seq Scan on projection_keys",
                            "Seq Scan on projection_parked");
            assertThat(plan.pages())
                    .as("pages read by %s:\n%s", name, plan.text())
                    .isLessThan(BATCH * PAGES_OF_A_KEY);
        });
    }

    @Test
    void keys_of_a_projection_that_the_statistics_do_not_contain_are_not_compared_with_each_other()
            throws SQLException {
        test.execute("ANALYZE spream.projection_keys", """
                INSERT INTO spream.projection_keys (projection, key, last_version, parked)
                SELECT 'new', 'key' || n, 1, false FROM generate_series(1, %d) AS n""".formatted(BATCH));
        List<String> keys =
                IntStream.rangeClosed(1, BATCH).mapToObj(n -> "key" + n).toList();
        Plan plan = explain(
                "auto",
                KeyTable.ADVANCE,
                p -> p.text(versions(keys)).text("new").texts(keys));
        assertThat(plan.text())
                .containsPattern("actual time=\\S+ rows=" + BATCH)
                .doesNotContain("Nested Loop");
    }

    private static String versions(List<String> keys) {
        return keys.stream().map("\"%s\": 2"::formatted).collect(Collectors.joining(",", "{", "}"));
    }

    /** Runs it, and takes back what it did, so that the next one finds the same. */
    private static Plan explain(String planMode, String sql, Database.Binder binder) throws SQLException {
        try (Connection connection = test.dataSource().getConnection();
                Statement settings = connection.createStatement()) {
            connection.setAutoCommit(false);
            settings.execute("SET LOCAL plan_cache_mode = " + planMode);
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
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }

    private record Plan(String text) {
        /** That came out of the statement: what the first line says. */
        long rows() {
            Matcher matcher = ROWS.matcher(text);
            assertThat(matcher.find()).as(text).isTrue();
            return Math.round(Double.parseDouble(matcher.group(1)));
        }

        /** Of the whole statement: the top node counts those below it. */
        long pages() {
            Matcher matcher = PAGES.matcher(text);
            if (!matcher.find()) {
                return 0;
            }
            return Long.parseLong(matcher.group(1))
                    + (matcher.group(2) == null ? 0 : Long.parseLong(requireNonNull(matcher.group(2))));
        }
    }
}
