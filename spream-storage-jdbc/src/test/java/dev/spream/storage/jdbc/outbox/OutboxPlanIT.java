package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.dialect.SqlWords;
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
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that the frequent statements of workers use indexes, whatever the table contains: due, delayed, parked or
 * settled entries; before and after the first ANALYZE, with custom and generic plans.
 */
@Tag("proof")
@Timeout(300)
final class OutboxPlanIT {
    private static final OutboxTables TABLES = OutboxTables.defaults();
    private static final int EACH = 20_000;
    private static final int BATCH = 32;
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)(?: read=(\\d+))?");
    private static final String OWNER = "ann/1";

    /** The bound for each entry: its row, its indexes before and after, the ledger, and inner index pages. */
    private static final int PAGES_OF_AN_ENTRY = 60;

    private static TestDatabase database;

    @BeforeAll
    static void fill() {
        database = new TestDatabase();
        JdbcOutboxStore.create(database.dataSource()).close();
        database.execute(
                "ALTER TABLE spream.outbox_orders SET (autovacuum_enabled = false)",
                "ALTER TABLE spream.idempo_ledger SET (autovacuum_enabled = false)");
        insert("parked", "'failed'", "'infinity'", "NULL", "NULL");
        insert("settled", "'succeeded'", "now() - interval '1 day'", "NULL", "NULL");
        insert("later", "'pending'", "now() + interval '1 hour'", "now() + interval '1 day'", "NULL");
        insert("due", "'pending'", "now() - n * interval '1 ms'", "now() + interval '1 day'", "NULL");
        insert("ordered", "'pending'", "now() - interval '1 s'", "NULL", "'customer' || n % 50");
        insert("letter", "'pending'", "now() - n * interval '1 s'", "NULL", "NULL", "mail");
        insert("ordered letter", "'pending'", "now() - n * interval '1 s'", "NULL", "'customer' || n % 50", "mail");
        database.execute(
                """
                INSERT INTO spream.idempo_ledger (idempotency_key, generation, request_digest, status)
                SELECT idempotency_key, 1, 'd', CASE status WHEN 'succeeded' THEN 'succeeded' ELSE 'in_progress' END
                FROM spream.outbox_orders""",
                """
                INSERT INTO spream.idempo_ledger (idempotency_key, generation, request_digest, status, settled_at)
                SELECT 'gone' || n, 1, 'd', 'succeeded', now() FROM generate_series(1, %d) AS n""".formatted(EACH),
                """
                INSERT INTO spream.outbox_orders_audit (actor, action, entry_id, idempotency_key, outcome, reason)
                SELECT 'ann', 'abort', n, '', '', '' FROM generate_series(1, %d) AS n""".formatted(EACH),
                "UPDATE spream.outbox_orders_segments SET owner = '%s', lease_until = now() + interval '1 hour'"
                        .formatted(OWNER),
                """
                UPDATE spream.outbox_orders SET status = 'sending', lease_until = now() + interval '1 hour',
                    locked_by = '%s', claim_token = 1
                WHERE idempotency_key IN (SELECT 'due' || n FROM generate_series(1, %d) AS n)""".formatted(OWNER, BATCH));
    }

    private static void insert(String key, String status, String nextRunAt, String expiresAt, String orderingKey) {
        insert(key, status, nextRunAt, expiresAt, orderingKey, "");
    }

    private static void insert(
            String key, String status, String nextRunAt, String expiresAt, String orderingKey, String destination) {
        database.execute("""
                INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest, status, next_run_at,
                    expires_at, ordering_key, segment, destination)
                SELECT '%1$s' || n, '{}', 'd', %2$s, %3$s, %4$s, %5$s, CASE WHEN %5$s IS NOT NULL THEN n %% 50 END, '%7$s'
                FROM generate_series(1, %6$d) AS n""".formatted(key, status, nextRunAt, expiresAt, orderingKey, EACH, destination));
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @ParameterizedTest
    @CsvSource({"false, auto", "false, force_generic_plan", "true, auto", "true, force_generic_plan"})
    void frequent_queries_of_workers_use_an_index(boolean analyzed, String planMode) throws SQLException {
        if (analyzed) {
            database.execute("ANALYZE spream.outbox_orders", "ANALYZE spream.idempo_ledger");
        }
        Map<String, Plan> plans = new LinkedHashMap<>();
        plans.put("enqueue one", explain(planMode, EnqueueStatement.ENQUEUE_ONE, OutboxPlanIT::message));
        plans.put("claim", explain(planMode, EntryClaims.CLAIM, OutboxPlanIT::claim));
        plans.put("look for the next entry", explain(planMode, WaitingEntries.NEXT_DUE, p -> p.text("mail")));
        plans.put("read destinations", explain(planMode, WaitingEntries.DESTINATIONS, p -> {}));
        plans.put("look for ordered entries", explain(planMode, OrderedEntries.ANY, p -> {}));
        List<Long> ordered = ids("ordered");
        plans.put("claim ordered", explain(planMode, EntryClaims.CLAIM_ORDERED, p -> claimOrdered(p, 50, ordered)));
        List<Long> held = ids("due");
        List<Long> tokens = Collections.nCopies(held.size(), 1L);
        plans.put(
                "renew",
                explain(
                        planMode,
                        EntrySettlements.RENEW,
                        p -> p.numbers(held).numbers(tokens).text(OWNER).number(1_000_000)));
        plans.put("settle", explain(planMode, EntrySettlements.SETTLE, p -> settlements(p, held, tokens)));
        plans.put("expire", explain(planMode, EntryExpiry.EXPIRE, p -> p.number(BATCH)));
        plans.put(
                "purge",
                explain(
                        planMode,
                        OutboxCleanup.PURGE,
                        p -> p.number(0).number(BATCH).text("ann").text("old")));
        plans.put(
                "find nothing to purge",
                explain(
                        planMode,
                        OutboxCleanup.PURGE,
                        p -> p.number(1_000_000_000_000L)
                                .number(BATCH)
                                .text("ann")
                                .text("old")));
        plans.put("sample", explain(planMode, OperationsStats.SAMPLE, p -> p.number(BATCH)));
        plans.put(
                "remove entries",
                explain(planMode, HistoryRemoval.ENTRIES, p -> p.number(0).number(BATCH)));
        plans.put(
                "remove audit",
                explain(planMode, HistoryRemoval.AUDIT, p -> p.number(0).number(BATCH)));
        plans.put(
                "look for requests to forget",
                explain(planMode, OutboxLedgerPruning.LOOK, p -> lookAfter(p, "-infinity", "")));
        plans.put(
                "look behind requests that are kept",
                explain(planMode, OutboxLedgerPruning.LOOK, p -> lookAfter(p, begun("settled10000"), "settled10000")));
        plans.put(
                "look behind all requests",
                explain(planMode, OutboxLedgerPruning.LOOK, p -> lookAfter(p, "infinity", "")));
        plans.put("lock requests to forget", explain(planMode, OutboxLedgerPruning.LOCK, p -> p.texts(keys("gone"))));
        plans.put(
                "forget requests",
                explain(
                        planMode,
                        OutboxLedgerPruning.DELETE,
                        p -> p.texts(keys("gone")).number(0)));
        plans.put("follow", explain(planMode, EntryExpiry.FOLLOW, p -> p.number(BATCH)));
        plans.put(
                "read ahead",
                explain(
                        planMode,
                        OrderedEntries.OF_SEGMENTS,
                        p -> p.integers(List.of(1, 2))
                                .numbers(List.of(0L, 0L))
                                .text("")
                                .number(BATCH / 2)));
        plans.put(
                "read a key",
                explain(
                        planMode,
                        OrderedEntries.OF_KEY,
                        p -> p.text("customer7").text("").number(BATCH)));

        assertThat(List.of(
                        "claim",
                        "claim ordered",
                        "renew",
                        "settle",
                        "purge",
                        "remove entries",
                        "remove audit",
                        "look for requests to forget",
                        "look behind requests that are kept",
                        "forget requests"))
                .allSatisfy(name -> assertThat(requireNonNull(plans.get(name)).text())
                        .containsPattern("actual time=\\S+ rows=" + BATCH));
        assertThat(requireNonNull(plans.get("find nothing to purge")).pages()).isLessThan(BATCH);
        plans.forEach((name, plan) -> {
            assertThat(plan.text())
                    .as(name)
                    .doesNotContain(
                            "Seq Scan on outbox_orders ",
                            "Seq Scan on outbox_orders_audit",
                            "Seq Scan on idempo_ledger");
            assertThat(plan.pages())
                    .as("pages read by %s:\n%s", name, plan.text())
                    .isLessThan(BATCH * PAGES_OF_AN_ENTRY);
        });
    }

    /**
     * Settled entries stay in the index of unsettled ones as long as the snapshot of a backup or report may see them.
     */
    @Test
    void a_claim_passes_over_no_ordered_entries_that_a_snapshot_keeps() throws SQLException {
        try (TestDatabase old = new TestDatabase()) {
            JdbcOutboxStore.create(old.dataSource()).close();
            old.execute("""
                    INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest, ordering_key, segment)
                    SELECT 'ordered' || n, '{}', 'd', 'customer', n %% 50 FROM generate_series(1, %d) AS n""".formatted(EACH));
            try (Connection backup = old.dataSource().getConnection();
                    Statement statement = backup.createStatement()) {
                backup.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                backup.setAutoCommit(false);
                statement.execute("SELECT count(*) FROM spream.outbox_orders");
                old.execute("UPDATE spream.outbox_orders SET status = 'succeeded'");
                Plan claim = explain(old, "auto", EntryClaims.CLAIM, OutboxPlanIT::claim);
                Plan question = explain(old, "auto", OrderedEntries.ANY, p -> {});
                assertThat(claim.pages()).as("pages read by\n%s", claim.text()).isLessThan(PAGES_OF_AN_ENTRY);
                assertThat(question.pages()).as("what a claim is spared").isGreaterThan(PAGES_OF_AN_ENTRY);
            }
        }
    }

    /** The statistics are of a time at which no entry was sent, so that the index of those looks small to the planner. */
    @Test
    void a_claim_is_found_by_its_id_among_any_number_of_others() throws SQLException {
        try (TestDatabase busy = new TestDatabase()) {
            JdbcOutboxStore.create(busy.dataSource()).close();
            busy.execute(
                    "ALTER TABLE spream.outbox_orders SET (autovacuum_enabled = false)",
                    """
                    INSERT INTO spream.outbox_orders (idempotency_key, order_request_json, request_digest, ordering_key, segment)
                    SELECT 'ordered' || n, '{}', 'd', 'customer' || n, n %% %d FROM generate_series(1, %d) AS n""".formatted(BATCH, EACH),
                    "ANALYZE spream.outbox_orders",
                    """
                    UPDATE spream.outbox_orders SET status = 'sending', lease_until = now() + interval '1 hour',
                        locked_by = '%s', claim_token = 1 WHERE id <= %d""".formatted(OWNER, EACH / 2),
                    "UPDATE spream.outbox_orders_segments SET owner = '%s', lease_until = now() + interval '1 hour'"
                            .formatted(OWNER));
            List<Long> held = LongStream.rangeClosed(1, BATCH).boxed().toList();
            List<Long> tokens = Collections.nCopies(BATCH, 1L);
            List<Long> pending = held.stream().map(id -> id + EACH / 2).toList();
            Plan settle = explain(busy, "auto", EntrySettlements.SETTLE, p -> settlements(p, held, tokens));
            Plan renew = explain(
                    busy,
                    "auto",
                    EntrySettlements.RENEW,
                    p -> p.numbers(held).numbers(tokens).text(OWNER).number(1_000_000));
            Plan claim = explain(busy, "auto", EntryClaims.CLAIM_ORDERED, p -> claimOrdered(p, BATCH, pending));

            assertThat(List.of(settle, renew, claim))
                    .allSatisfy(plan -> assertThat(plan.pages())
                            .as("pages read by\n%s", plan.text())
                            .isLessThan(BATCH * PAGES_OF_AN_ENTRY));
            assertThat(claim.text())
                    .as("a claim compares no segment with each other one")
                    .doesNotContain("Join Filter");
        }
    }

    private static void claimOrdered(Parameters p, int segments, List<Long> ids) throws SQLException {
        p.integers(IntStream.range(0, segments).boxed().toList())
                .numbers(Collections.nCopies(segments, 0L))
                .text(OWNER)
                .numbers(ids)
                .text(OWNER)
                .number(1_000_000);
    }

    private static void message(Parameters p) throws SQLException {
        p.text("new")
                .text("d")
                .text("{}")
                .optionalText(Optional.empty())
                .optionalInteger(Optional.empty())
                .optionalClock(Optional.empty())
                .optionalClock(Optional.empty())
                .optionalText(Optional.empty())
                .flag(true)
                .optionalText(Optional.empty())
                .text("")
                .number(0)
                .text(OWNER)
                .number(1_000_000)
                .text("");
    }

    private static void claim(Parameters p) throws SQLException {
        p.text("")
                .number(BATCH)
                .text("")
                .number(BATCH)
                .number(BATCH)
                .text(OWNER)
                .number(1_000_000);
    }

    private static void settlements(Parameters p, List<Long> ids, List<Long> tokens) throws SQLException {
        int count = ids.size();
        p.numbers(ids)
                .numbers(tokens)
                .texts(Collections.nCopies(count, "succeeded"))
                .optionalIntegers(Collections.nCopies(count, Optional.of(200)), status -> status)
                .optionalTexts(Collections.nCopies(count, Optional.<String>empty()), text -> text)
                .optionalTexts(Collections.nCopies(count, Optional.<String>empty()), text -> text)
                .optionalTexts(Collections.nCopies(count, Optional.<String>empty()), text -> text)
                .numbers(Collections.nCopies(count, 0L))
                .flags(Collections.nCopies(count, false), flag -> flag)
                .text(OWNER);
    }

    private static void lookAfter(Parameters p, String begun, String key) throws SQLException {
        p.number(0).text(begun).text(key).number(BATCH).number(0).number(0);
    }

    private static List<String> keys(String key) {
        return IntStream.rangeClosed(1, BATCH).mapToObj(n -> key + n).toList();
    }

    private static String begun(String key) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT created_at FROM spream.idempo_ledger WHERE idempotency_key = '%s'".formatted(key))) {
            result.next();
            return result.getString(1);
        }
    }

    private static List<Long> ids(String key) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT id FROM spream.outbox_orders WHERE idempotency_key = ANY (?) ORDER BY id")) {
            Object[] keys =
                    LongStream.rangeClosed(1, BATCH).mapToObj(n -> key + n).toArray();
            statement.setArray(1, connection.createArrayOf("text", keys));
            List<Long> ids = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    ids.add(result.getLong(1));
                }
            }
            return ids;
        }
    }

    private static Plan explain(String planMode, String sql, Database.Binder binder) throws SQLException {
        return explain(database, planMode, sql, binder);
    }

    /** Explains a statement and rolls it back, so that the next one finds the same state. */
    private static Plan explain(TestDatabase in, String planMode, String sql, Database.Binder binder)
            throws SQLException {
        try (Connection connection = in.dataSource().getConnection();
                Statement settings = connection.createStatement()) {
            connection.setAutoCommit(false);
            settings.execute("SET LOCAL plan_cache_mode = " + planMode);
            try (PreparedStatement statement =
                    connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS) " + SqlWords.POSTGRESQL.in(TABLES, sql))) {
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
            }
        }
    }

    /** A plan; its first line about buffers is that of the whole statement. */
    private record Plan(String text) {
        int pages() {
            Matcher matcher = PAGES.matcher(text);
            assertThat(matcher.find()).as(text).isTrue();
            return Integer.parseInt(matcher.group(1))
                    + (matcher.group(2) == null ? 0 : Integer.parseInt(matcher.group(2)));
        }
    }
}
