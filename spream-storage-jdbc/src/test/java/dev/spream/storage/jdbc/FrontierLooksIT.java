package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Looks beside open transactions and after a change of the server, and their cost with 10,000 live partitions. */
final class FrontierLooksIT {
    private static final SchemaName SCHEMA = new SchemaName("spream");
    private static final int LIVE = 10_000;

    private TestDatabase database;
    private JdbcPartitionStorage storage;

    @BeforeEach
    void open() {
        database = new TestDatabase();
        storage = JdbcPartitionStorage.create(database.dataSource(), "orders");
        add(1, 2);
    }

    /** Adds running partitions with numbers from the first to the last. */
    private void add(int first, int last) {
        database.execute("""
                INSERT INTO spream.partitions
                    (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, epoch, owner,
                    lease_until, created_at)
                SELECT 'orders', %s, 'p' || n, ARRAY['x' || n], n, n, 'RUNNING', 1, 'ann', now(), now()
                FROM generate_series(%d, %d) AS n""".formatted(PartitionRow.hashOf("'p' || n"), first, last));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void a_change_shows_when_its_transaction_commits_however_many_looks_later() throws SQLException {
        Optional<String> mark = look(Optional.empty()).mark();
        try (Connection slow = database.dataSource().getConnection()) {
            slow.setAutoCommit(false);
            acquire(slow, "p1");
            acquire("p2");
            FrontierChanges before = look(mark);
            assertThat(tokens(before)).containsExactly("p2");
            FrontierChanges meanwhile = look(before.mark());
            assertThat(tokens(meanwhile))
                    .as("of a transaction later than the open one")
                    .isEmpty();
            slow.commit();
            FrontierChanges after = look(meanwhile.mark());
            assertThat(tokens(after)).containsExactly("p1");
            assertThat(tokens(look(after.mark()))).isEmpty();
        }
    }

    @Test
    void a_mark_of_another_server_or_ahead_of_this_one_begins_anew() {
        String mark = look(Optional.empty()).mark().orElseThrow();
        assertThat(look(Optional.of(mark)).complete()).isFalse();
        assertThat(look(Optional.of("1" + mark)).complete())
                .as("of another server")
                .isTrue();
        String ahead = mark.replaceFirst(":\\d+:", ":99999999999:");
        assertThat(look(Optional.of(ahead)).complete()).as("ahead").isTrue();
    }

    @Test
    void rows_of_a_server_that_was_ahead_of_this_one_count_as_unchanged() throws SQLException {
        database.execute(
                "INSERT INTO spream.subscriptions"
                        + " (name, stream_name, start_timestamp, heartbeat_interval, partition_mode, created_at, corrected_in)"
                        + " VALUES ('orders', 'Orders', 1, 10, 'IMMUTABLE_KEY_RANGE', now(), '99999999999')",
                "UPDATE spream.partitions SET changed_in = '99999999999'");
        FrontierChanges look = look(look(Optional.empty()).mark());
        assertThat(look.complete()).isFalse();
        assertThat(tokens(look)).isEmpty();
        acquire("p1");
        assertThat(tokens(look(look.mark()))).containsExactly("p1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "7:7:", "2026-03-01T10:00:00Z", "1.5/7:7:", "1.5/7:7:;/0"})
    void other_text_is_no_mark(String text) {
        assertThatThrownBy(() -> look(Optional.of(text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'%s' is not a mark".formatted(text));
    }

    @Test
    void a_look_without_changes_reads_a_few_pages_however_long_a_transaction_is_open() throws SQLException {
        try (Connection open = database.dataSource().getConnection()) {
            open.setAutoCommit(false);
            Statements.execute(open, "SELECT pg_current_xact_id()");
            add(3, LIVE);
            database.execute("UPDATE spream.partitions SET changed_in = pg_current_xact_id()", """
                    INSERT INTO spream.workers (subscription, worker, capacity, registered_at, alive_until)
                    SELECT 'orders', 'worker-' || n, 100, now(), now() + interval '1 hour' FROM generate_series(1, 100) AS n""");
            String mark = look(look(Optional.empty(), "others").mark()).mark().orElseThrow();
            readsFewPages("auto", mark);
            readsFewPages("force_generic_plan", mark);
            database.execute("ANALYZE spream.partitions");
            readsFewPages("auto", mark);
            readsFewPages("force_generic_plan", mark);
        }
    }

    private void readsFewPages(String planMode, String mark) throws SQLException {
        assertThat(tokens(look(Optional.of(mark)))).isEmpty();
        QueryPlanIT.Plan plan = explain(planMode, mark);
        assertThat(plan.text()).contains("partitions_changed");
        assertThat(plan.pages()).as("%s: %s", planMode, plan.text()).isLessThan(40);
    }

    private QueryPlanIT.Plan explain(String planMode, String mark) throws SQLException {
        return QueryPlanIT.explain(
                database, planMode, FrontierLooks.LOOK, QueryPlanIT.look(Optional.of(mark), List.of("p1", "p2")));
    }

    @Test
    void renewals_and_advances_update_rows_in_place() throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThat(rows(
                            connection,
                            PartitionLeases.RENEW,
                            p -> p.texts(List.of("p1"))
                                    .texts(List.of("ann"))
                                    .numbers(List.of(1L))
                                    .text("orders")
                                    .number(1_000_000)
                                    .text("orders")))
                    .isOne();
            assertThat(rows(
                            connection,
                            WatermarkWrites.ADVANCE,
                            p -> p.texts(List.of("p2"))
                                    .texts(List.of("ann"))
                                    .numbers(List.of(1L))
                                    .decimals(List.of(BigDecimal.valueOf(LIVE)), watermark -> watermark)
                                    .texts(List.of("7"))
                                    .texts(List.of("{p1}"))
                                    .text("orders")
                                    .text("orders")))
                    .isOne();
            assertThat(Statements.<Long>answer(
                            connection,
                            "SELECT pg_stat_get_xact_tuples_hot_updated('spream.partitions'::regclass)",
                            row -> row.getLong(1)))
                    .isEqualTo(2);
            connection.rollback();
        }
    }

    private void acquire(String token) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            acquire(connection, token);
        }
    }

    private static void acquire(Connection connection, String token) throws SQLException {
        assertThat(rows(
                        connection,
                        PartitionLeases.ACQUIRE,
                        p -> p.texts(List.of(token))
                                .numbers(List.of(1L))
                                .text("orders")
                                .text("bob")
                                .number(1_000_000)
                                .text("orders")))
                .isOne();
    }

    private static int rows(Connection connection, String sql, Database.Binder binder) throws SQLException {
        return new Statements(connection, SCHEMA::in)
                .rows(sql, binder, row -> row.getString("token"))
                .size();
    }

    /** Returns what another subscription sees, which has no partitions: a mark names what is in the whole server. */
    private FrontierChanges look(Optional<String> since, String subscription) {
        try (JdbcPartitionStorage another = JdbcPartitionStorage.create(database.dataSource(), subscription)) {
            return another.frontierSince(since, Set.of());
        }
    }

    private FrontierChanges look(Optional<String> since) {
        return storage.frontierSince(since, Set.of());
    }

    private static List<String> tokens(FrontierChanges look) {
        return look.partitions().partitions().stream()
                .map(PartitionMetadata::token)
                .map(PartitionToken::value)
                .toList();
    }
}
