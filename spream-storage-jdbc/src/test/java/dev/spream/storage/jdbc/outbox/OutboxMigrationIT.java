package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that tables of earlier workers are migrated without loss. */
@Timeout(120)
final class OutboxMigrationIT {
    private static final OutboxOwner ANN = OutboxOwner.of("ann");

    /** The names of the tables, their columns, indexes and constraints. */
    private static final String OBJECTS = """
            SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname !~ '_history'
            UNION ALL SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
            UNION ALL SELECT table_name || '.' || column_name FROM information_schema.columns
                WHERE table_schema = 'public' AND table_name !~ '_history'
            ORDER BY 1""";

    /** Statements that rename the tables of version 5 to the names of version 4. */
    private static final String[] VERSION_4 = {
        "ALTER TABLE public.outbox_orders RENAME COLUMN segment TO lane",
        "ALTER TABLE public.outbox_orders RENAME CONSTRAINT outbox_orders_segment_of_key TO outbox_orders_lane_of_key",
        "ALTER INDEX public.outbox_orders_segment_order RENAME TO outbox_orders_lane_order",
        "ALTER TABLE public.outbox_orders_segments RENAME COLUMN segment TO lane",
        "ALTER TABLE public.outbox_orders_segments RENAME CONSTRAINT outbox_orders_segments_pkey TO outbox_orders_lanes_pkey",
        "ALTER TABLE public.outbox_orders_segments RENAME CONSTRAINT outbox_orders_segment_range"
                + " TO outbox_orders_lanes_lane_check",
        "ALTER TABLE public.outbox_orders_segments RENAME TO outbox_orders_lanes"
    };

    private final TestDatabase database = new TestDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void entries_of_every_status_are_kept_and_stranded_ones_continue(boolean withNextRunAt) throws SQLException {
        database.execute(SeedTables.OUTBOX, SeedTables.LEDGER);
        if (withNextRunAt) {
            database.execute(SeedTables.NEXT_RUN_AT);
        }
        database.execute(SeedTables.ROWS, SeedTables.LEDGER_ROWS);

        migrate();

        assertThat(rows("""
                        SELECT o.id, o.idempotency_key, o.status, o.attempts, o.outcome_unknown, o.generation,
                            o.lease_until < now(), l.status
                        FROM public.outbox_orders o LEFT JOIN public.idempo_ledger l USING (idempotency_key, generation)
                        ORDER BY o.id"""))
                .containsExactly(
                        "11,pending,pending,0,f,1,null,in_progress",
                        "12,sending,sending,2,t,1,t,in_progress",
                        "13,sending now,sending,1,t,1,f,in_progress",
                        "14,failed,failed,2,f,1,null,in_progress",
                        "15,failed unknown,failed,2,t,1,null,in_progress",
                        "16,succeeded,succeeded,0,f,1,null,succeeded",
                        "17,aborted,aborted,6,f,1,null,failed",
                        "18,requeued,pending,0,f,2,null,in_progress",
                        "19,late,failed,6,f,1,null,succeeded",
                        "20,other,pending,0,f,1,null,succeeded",
                        "21,no digest,pending,0,f,1,null,in_progress");
        assertThat(rows("SELECT status FROM public.idempo_ledger WHERE idempotency_key IN ('old', 'requeued')"))
                .as("the ledger of earlier services is kept")
                .containsExactlyInAnyOrder("succeeded", "failed", "in_progress");
    }

    /** The tables may lack defaults and may require values that an unsettled request does not have. */
    @ParameterizedTest
    @CsvSource({
        "timestamptz DEFAULT now(), timestamptz",
        "timestamptz DEFAULT now(), timestamptz NOT NULL",
        "int, int NOT NULL"
    })
    @Tag("proof")
    void columns_without_defaults_or_nulls_do_not_keep_tables_from_being_migrated(String usual, String found)
            throws SQLException {
        database.execute(
                SeedTables.OUTBOX.replace(usual, found),
                SeedTables.LEDGER.replace(usual, found),
                "ALTER TABLE public.outbox_orders ALTER updated_at SET DEFAULT now(), ALTER created_at SET DEFAULT now()",
                SeedTables.ROWS,
                """
                INSERT INTO public.idempo_ledger
                    (idempotency_key, request_digest, status, http_status, created_at, updated_at)
                VALUES ('requeued', 'd8', 'failed', 502, now(), now())""");

        migrate();

        assertThat(rows("""
                        SELECT generation, status, http_status, created_at IS NULL, updated_at IS NULL
                        FROM public.idempo_ledger WHERE idempotency_key = 'requeued' ORDER BY generation""")).containsExactly("1,failed,502,f,f", "2,in_progress,null,f,f");
    }

    @Test
    void failures_of_earlier_workers_without_a_refusal_have_an_unknown_outcome() throws SQLException {
        database.execute(SeedTables.OUTBOX, SeedTables.LEDGER, """
                INSERT INTO public.outbox_orders
                    (idempotency_key, order_request_json, request_digest, status, attempts, last_error_code)
                SELECT code, '{}', code, 'failed', 1, code
                FROM unnest(ARRAY['HTTP_502', 'UNAVAILABLE', 'CONNECTION_RESET', 'TIMEOUT', 'INTERNAL_ERROR', 'REJECTED',
                    'invalid_request', 'UNAUTHORIZED', 'RATE_LIMITED', 'IDEMPOTENCY_CONFLICT', 'EXPIRED']) AS code""");

        migrate();

        assertThat(rows("SELECT idempotency_key FROM public.outbox_orders WHERE outcome_unknown ORDER BY id"))
                .containsExactly("HTTP_502", "UNAVAILABLE", "CONNECTION_RESET", "TIMEOUT", "INTERNAL_ERROR");
    }

    @Test
    void workers_continue_with_the_migrated_entries() throws SQLException {
        database.execute(
                SeedTables.OUTBOX,
                SeedTables.NEXT_RUN_AT,
                SeedTables.LEDGER,
                SeedTables.ROWS,
                SeedTables.LEDGER_ROWS,
                "UPDATE public.outbox_orders SET next_run_at = now() + interval '1 hour' WHERE id = 14");
        JdbcOutboxStore store = migrate();

        ClaimResult result = store.claim(ANN, "", 100, Duration.ofMinutes(1));

        assertThat(result.claims())
                .extracting(claim -> claim.entry().idempotencyKey())
                .containsExactlyInAnyOrder("pending", "sending", "failed unknown", "requeued", "no digest");
        assertThat(result.leasesExpired()).isEqualTo(1);
        assertThat(result.synchronised()).as("late").isEqualTo(1);
        assertThat(result.conflicts()).as("other").isEqualTo(1);
        settleAll(store, result.claims());
        assertThat(rows("SELECT status, count(*) FROM public.outbox_orders GROUP BY 1 ORDER BY 1"))
                .containsExactly("aborted,2", "failed,1", "sending,1", "succeeded,7");
    }

    private static void settleAll(JdbcOutboxStore store, List<OutboxClaim> claims) {
        List<Settlement> settlements = new ArrayList<>();
        for (OutboxClaim claim : claims) {
            settlements.add(new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded("{\"new\":\"\\u0000\"}")));
        }
        assertThat(store.settle(ANN, settlements)).isEmpty();
    }

    @Test
    @Tag("proof")
    void entries_without_a_ledger_get_one() throws SQLException {
        database.execute(SeedTables.OUTBOX, SeedTables.ROWS);
        migrate();

        assertThat(rows("""
                        SELECT l.status, l.http_status, l.reason_code, l.settled_at IS NULL, count(*)
                        FROM public.idempo_ledger l JOIN public.outbox_orders o USING (idempotency_key, request_digest)
                        GROUP BY 1, 2, 3, 4 ORDER BY 1"""))
                .containsExactly("failed,500,REJECTED,f,1", "in_progress,null,null,t,9", "succeeded,200,null,f,1");
        assertThat(ledger().find("aborted"))
                .get()
                .extracting(LedgerEntry::requestDigest)
                .isEqualTo("d7");
    }

    @Test
    @Tag("proof")
    void settled_entries_are_not_rewritten() throws SQLException {
        database.execute(SeedTables.OUTBOX, SeedTables.NEXT_RUN_AT, SeedTables.LEDGER);
        database.execute("""
                INSERT INTO public.outbox_orders (idempotency_key, order_request_json, request_digest, status)
                SELECT 'k' || n, '{}', 'd', 'succeeded' FROM generate_series(1, 1000) AS n""", """
                INSERT INTO public.idempo_ledger (idempotency_key, request_digest, status, http_status)
                SELECT 'k' || n, 'd', 'succeeded', 200 FROM generate_series(1, 1000) AS n""");
        String places = "SELECT md5(string_agg(ctid::text || xmin, ',' ORDER BY id)) FROM public.outbox_orders";
        String file = "SELECT pg_relation_filenode('public.outbox_orders')";
        List<String> before = rows(places);
        List<String> fileBefore = rows(file);

        migrate();

        assertThat(rows(places)).isEqualTo(before);
        assertThat(rows(file)).as("the table's file").isEqualTo(fileBefore);
    }

    @Test
    void new_entries_follow_the_old_ones_and_the_index_of_earlier_workers_is_gone() throws SQLException {
        database.execute(SeedTables.OUTBOX, SeedTables.NEXT_RUN_AT, SeedTables.LEDGER, SeedTables.ROWS);
        migrate();
        enqueue("new");
        assertThat(rows("SELECT id FROM public.outbox_orders WHERE idempotency_key = 'new'"))
                .containsExactly("31");
        assertThat(rows("SELECT indexname FROM pg_indexes WHERE indexname = 'idx_outbox_status_next_run'"))
                .isEmpty();
    }

    @Test
    void a_worker_of_the_earlier_kind_cannot_claim_any_more() {
        database.execute(SeedTables.OUTBOX, SeedTables.ROWS);
        migrate();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> database.execute(
                        "UPDATE public.outbox_orders SET status = 'sending', locked_by = 'old' WHERE id = 11"))
                .withMessageContaining("sent_on_lease");
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> database.execute("UPDATE public.outbox_orders SET status = 'done' WHERE id = 11"))
                .withMessageContaining("known_status");
    }

    @Test
    void processes_that_start_at_once_migrate_once() throws Exception {
        database.execute(SeedTables.OUTBOX, SeedTables.LEDGER, SeedTables.ROWS, SeedTables.LEDGER_ROWS);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Void>> starts = new ArrayList<>();
            for (int process = 0; process < 4; process++) {
                starts.add(() -> {
                    try (HikariDataSource pool = database.open()) {
                        JdbcOutboxStore.builder(pool).schema("public").build().close();
                    }
                    return null;
                });
            }
            for (Future<Void> start : threads.invokeAll(starts)) {
                start.get();
            }
        }
        assertThat(rows("SELECT attempts FROM public.outbox_orders WHERE id = 12"))
                .containsExactly("2");
        assertThat(rows("SELECT count(*) FROM public.outbox_orders_segments")).containsExactly("256");
    }

    @Test
    void a_script_that_runs_again_over_its_own_tables_changes_nothing() throws SQLException {
        database.execute(SeedTables.OUTBOX, SeedTables.LEDGER, SeedTables.ROWS, SeedTables.LEDGER_ROWS);
        migrate();
        String all = "SELECT * FROM public.outbox_orders ORDER BY id";
        String ledger = "SELECT * FROM public.idempo_ledger ORDER BY idempotency_key, generation";
        List<String> before = rows(all);
        List<String> ledgerBefore = rows(ledger);

        database.execute("DROP TABLE public.outbox_orders_history");
        migrate();

        assertThat(rows(all)).isEqualTo(before);
        assertThat(rows(ledger)).isEqualTo(ledgerBefore);
    }

    /** The state left by the first script before its correction, which kept the constraints of an existing ledger. */
    @Test
    @Tag("proof")
    void tables_of_the_first_version_are_migrated_though_its_script_was_corrected_since() throws SQLException {
        migrate();
        database.execute(VERSION_4);
        database.execute(
                "DELETE FROM public.outbox_orders_history WHERE version > '1'",
                "UPDATE public.outbox_orders_history SET checksum = 4711 WHERE version = '1'",
                "ALTER TABLE public.idempo_ledger ALTER http_status SET NOT NULL, ALTER response_payload_json SET NOT NULL,"
                        + " ALTER reason_code SET NOT NULL, ALTER settled_at SET NOT NULL",
                "DROP INDEX public.outbox_orders_settled, public.outbox_orders_audit_at, public.outbox_orders_failed,"
                        + " public.idempo_ledger_begun");
        migrate();
        assertThat(
                        rows(
                                "SELECT indexname FROM pg_indexes WHERE indexname ~ '_(settled|audit_at|begun|failed)$' ORDER BY 1"))
                .containsExactly(
                        "idempo_ledger_begun",
                        "outbox_orders_audit_at",
                        "outbox_orders_failed",
                        "outbox_orders_settled");
        enqueue("new");
        assertThat(rows("SELECT status, http_status, settled_at FROM public.idempo_ledger"))
                .containsExactly("in_progress,null,null");
    }

    @Test
    @Tag("proof")
    void a_ledger_whose_results_may_be_missing_is_migrated_while_it_is_read() throws SQLException {
        migrate();
        database.execute(VERSION_4);
        database.execute("DELETE FROM public.outbox_orders_history WHERE version > '3'");
        try (Connection reader = database.dataSource().getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("LOCK TABLE public.idempo_ledger IN ACCESS SHARE MODE");
            try (HikariDataSource impatient = new HikariDataSource()) {
                impatient.setJdbcUrl(database.url());
                impatient.setConnectionInitSql("SET lock_timeout = '2s'");
                JdbcOutboxStore.builder(impatient).schema("public").build().close();
            }
        }
        assertThat(rows("SELECT max(version) FROM public.outbox_orders_history"))
                .containsExactly("6");
    }

    /** In versions 1 to 4, segments were named lanes. */
    @Test
    @Tag("proof")
    void entries_leases_and_names_of_lanes_become_those_of_segments() throws SQLException {
        JdbcOutboxStore store = migrate();
        List<String> names = rows(OBJECTS);
        enqueue("first", "key");
        OutboxSegmentLease held = segmentOf("key", store.holdSegments(ANN, Set.of(), Duration.ofMinutes(1)));
        database.execute(VERSION_4);
        database.execute("DELETE FROM public.outbox_orders_history WHERE version > '4'");
        assertThat(rows(OBJECTS))
                .contains("outbox_orders_lanes", "outbox_orders_lane_order")
                .doesNotContainSequence(names);

        JdbcOutboxStore migrated = migrate();

        assertThat(rows(OBJECTS)).isEqualTo(names);
        OutboxSegmentLease kept = segmentOf("key", migrated.holdSegments(ANN, Set.of(), Duration.ofMinutes(1)));
        assertThat(kept).as("lease and epoch").isEqualTo(held);
        enqueue("second", "key");
        assertThat(migrated.ordered("", Map.of(held.segment(), 0L), 10)).hasSize(2);
        assertThat(migrated.claimOrdered(ANN, List.of(held), List.of(1L, 2L), Duration.ofMinutes(1))
                        .claims())
                .extracting(claim -> claim.entry().idempotencyKey())
                .containsExactly("first");
    }

    private static OutboxSegmentLease segmentOf(String orderingKey, OutboxSegmentShare share) {
        int segment = OutboxSegmentLease.segmentOf(orderingKey);
        return share.held().stream()
                .filter(lease -> lease.segment() == segment)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void outboxes_live_side_by_side_under_names_of_their_own() throws SQLException {
        JdbcOutboxStore.builder(database.dataSource()).build();
        JdbcOutboxStore.builder(database.dataSource())
                .table("mails")
                .ledger("mail_keys")
                .build();
        assertThat(rows("SELECT tablename FROM pg_tables WHERE schemaname = 'spream' ORDER BY 1"))
                .containsExactly(
                        "idempo_ledger",
                        "mail_keys",
                        "mails",
                        "mails_audit",
                        "mails_history",
                        "mails_segments",
                        "mails_workers",
                        "outbox_orders",
                        "outbox_orders_audit",
                        "outbox_orders_history",
                        "outbox_orders_segments",
                        "outbox_orders_workers");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcOutboxStore.builder(database.dataSource()).table("Orders"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JdbcOutboxStore.builder(database.dataSource())
                        .ledger("outbox_orders_segments")
                        .build());
    }

    @Test
    void without_migration_tables_that_are_not_there_are_named() {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> JdbcOutboxStore.builder(database.dataSource())
                        .migrate(false)
                        .build())
                .withMessageContaining("outbox 'outbox_orders'")
                .withMessageContaining("outbox.jdbc.migrate=true");
    }

    private void enqueue(String key) throws SQLException {
        enqueue(OutboxMessage.of(key, "{}"));
    }

    private void enqueue(String key, String orderingKey) throws SQLException {
        enqueue(OutboxMessage.builder(key, "{}").orderingKey(orderingKey).build());
    }

    private void enqueue(OutboxMessage message) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            JdbcOutbox.builder(database.dataSource()).schema("public").build().enqueue(connection, message);
            connection.commit();
        }
    }

    private JdbcOutboxStore migrate() {
        return JdbcOutboxStore.builder(database.dataSource()).schema("public").build();
    }

    private JdbcIdempotencyLedger ledger() {
        return JdbcIdempotencyLedger.builder(database.dataSource())
                .schema("public")
                .build();
    }

    private List<String> rows(String sql) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return TestOutbox.texts(result);
        }
    }
}
