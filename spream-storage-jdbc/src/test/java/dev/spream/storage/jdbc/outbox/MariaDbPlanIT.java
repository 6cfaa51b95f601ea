package dev.spream.storage.jdbc.outbox;

import static dev.spream.storage.jdbc.outbox.TestOutbox.ANN;
import static dev.spream.storage.jdbc.outbox.TestOutbox.LEASE;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the frequent calls of workers use indexes in MariaDB, by the number of rows that the server reads for them. */
@Timeout(120)
final class MariaDbPlanIT {
    private static final int EACH = 2_000;
    private static final int BATCH = 16;
    private static final Duration AGE = Duration.ofMinutes(30);
    private static final MySqlOutboxPlace PLACE = new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mysqlUrl);

    @AfterAll
    static void drop() {
        PLACE.drop();
    }

    private static void insert(
            String key, String status, String nextRunAt, String expiresAt, String orderingKey, String destination) {
        PLACE.execute("""
                INSERT INTO @outbox (idempotency_key, order_request_json, request_digest, status, next_run_at, expires_at,
                    ordering_key, segment, destination, updated_at)
                SELECT CONCAT('%1$s', seq), '{}', 'd', '%2$s', %3$s, %4$s, %5$s, CASE WHEN %5$s IS NOT NULL THEN seq %% 50 END, '%7$s',
                    @now - INTERVAL 1 HOUR
                FROM seq_1_to_%6$d""".formatted(key, status, nextRunAt, expiresAt, orderingKey, EACH, destination));
    }

    private static void fill() {
        insert("parked", "failed", "@never", "NULL", "NULL", "");
        insert("settled", "succeeded", "@now - INTERVAL 1 DAY", "NULL", "NULL", "");
        insert("later", "pending", "@now + INTERVAL 1 HOUR", "@now + INTERVAL 1 DAY", "NULL", "");
        insert("due", "pending", "@now - INTERVAL seq SECOND", "@now + INTERVAL 1 DAY", "NULL", "");
        insert("ordered", "pending", "@now - INTERVAL 1 SECOND", "NULL", "CONCAT('customer', seq % 50)", "");
        insert("letter", "pending", "@now - INTERVAL seq SECOND", "NULL", "NULL", "mail");
        insert("expired", "pending", "@now", "@now - INTERVAL seq SECOND", "NULL", "");
        PLACE.execute("""
                INSERT INTO @ledger (idempotency_key, generation, request_digest, status, settled_at)
                SELECT idempotency_key, 1, 'd', CASE status WHEN 'succeeded' THEN 'succeeded' ELSE 'in_progress' END,
                    CASE status WHEN 'succeeded' THEN @now END
                FROM @outbox""", """
                INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, settled_at)
                SELECT CONCAT('gone', seq), 1, 'd', 'succeeded', @now - INTERVAL 2 DAY, @now - INTERVAL 2 DAY
                FROM seq_1_to_%d""".formatted(EACH), """
                INSERT INTO @audit (actor, action, entry_id, idempotency_key, outcome, reason, at)
                SELECT 'ann', 'abort', seq, '', '', '', @now - INTERVAL 1 HOUR FROM seq_1_to_%d""".formatted(EACH));
    }

    /** Counts what the server reads in the only session of a pool. */
    private record Session(HikariDataSource pool, Map<String, Long> reads) {
        <V> V count(String call, Callable<V> work) throws Exception {
            long before = read();
            V result = work.call();
            long after = read();
            reads.put(call, after - before - (read() - after));
            return result;
        }

        private long read() throws SQLException {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
                long rows = 0;
                while (row.next()) {
                    rows += row.getLong(2);
                }
                return rows;
            }
        }
    }

    @Test
    void frequent_calls_of_workers_read_few_rows_of_many() throws Exception {
        fill();
        Map<String, Long> reads = new LinkedHashMap<>();
        try (HikariDataSource pool = PLACE.database().open(PLACE.database().mysqlUrl(), 1);
                JdbcOutboxStore store = JdbcOutboxStore.create(pool)) {
            Session session = new Session(pool, reads);
            JdbcOutbox outbox = JdbcOutbox.create(pool);
            session.count("enqueue", () -> enqueue(pool, outbox));
            List<OutboxClaim> due = session.count("claim", () -> store.claim(ANN, "", BATCH, LEASE))
                    .claims();
            List<OutboxClaim.Ref> refs = due.stream().map(OutboxClaim::ref).toList();
            assertThat(refs).hasSize(BATCH);
            assertThat(session.count("claim letters", () -> store.claim(ANN, "mail", BATCH, LEASE))
                            .claims())
                    .hasSize(BATCH);
            assertThat(session.count("next due", () -> store.nextDue(""))).isPresent();
            assertThat(session.count("destinations", store::destinations)).containsExactlyInAnyOrder("", "mail");
            assertThat(session.count("renew", () -> store.renew(ANN, refs, LEASE)))
                    .isEmpty();
            assertThat(session.count("settle", () -> store.settle(ANN, succeeded(refs))))
                    .isEmpty();
            assertThat(session.count("expire", () -> store.expire(BATCH))).isEqualTo(BATCH);

            List<OutboxSegmentLease> held = session.count("segments", () -> store.holdSegments(ANN, Set.of(), LEASE))
                    .held();
            assertThat(session.count("any ordered", store::hasOrdered)).isTrue();
            assertThat(session.count("of a key", () -> store.ordered("", "customer7", BATCH)))
                    .hasSize(BATCH);
            Map<Integer, Long> all = held.stream().collect(toMap(OutboxSegmentLease::segment, segment -> 0L));
            List<Long> first = session.count("read ahead", () -> store.ordered("", all, 1)).stream()
                    .map(OrderedEntry::id)
                    .limit(BATCH)
                    .toList();
            assertThat(session.count("claim ordered", () -> store.claimOrdered(ANN, held, first, LEASE))
                            .claims())
                    .hasSize(BATCH);

            assertThat(session.count("remove entries", () -> store.removeOld(OutboxHistory.ENTRIES, AGE, BATCH)))
                    .isEqualTo(BATCH);
            assertThat(session.count("remove audit", () -> store.removeOld(OutboxHistory.AUDIT, AGE, BATCH)))
                    .isEqualTo(BATCH);
            assertThat(session.count("prune ledger", () -> store.removeOld(OutboxHistory.LEDGER, AGE, BATCH)))
                    .isEqualTo(BATCH);
        }
        assertThat(reads).allSatisfy((call, rows) -> assertThat(rows).as(call).isBetween(1L, (long) EACH / 2));
    }

    private static List<EnqueueResult> enqueue(HikariDataSource pool, JdbcOutbox outbox) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            List<EnqueueResult> results = outbox.enqueueAll(
                    connection, List.of(OutboxMessage.of("new", "{}"), OutboxMessage.of("due1", "{}")));
            connection.commit();
            return results;
        }
    }

    private static List<Settlement> succeeded(List<OutboxClaim.Ref> claims) {
        return claims.stream()
                .<Settlement>map(claim -> new Settlement.Succeeded(claim, LedgerResult.succeeded()))
                .toList();
    }
}
