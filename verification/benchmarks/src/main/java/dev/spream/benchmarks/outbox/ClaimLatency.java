package dev.spream.benchmarks.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A claim of 32 entries beside a million that are pending; and the statement and index that such tables often have. */
final class ClaimLatency {
    private static final int PENDING = Integer.getInteger("pending", 1_000_000);
    private static final int CLAIM = 32;
    private static final int TIMES = 200;
    private static final int PLAIN_TIMES = 20;

    /** The claim that most descriptions of the pattern show, with the index that goes with them. */
    private static final String PLAIN = """
            WITH cte AS (
                SELECT id FROM plain_outbox
                WHERE status = 'pending' AND (next_run_at IS NULL OR next_run_at <= now())
                ORDER BY created_at FOR UPDATE SKIP LOCKED LIMIT %d)
            UPDATE plain_outbox o SET status = 'sending', locked_by = 'me', locked_at = now(), updated_at = now()
            FROM cte WHERE o.id = cte.id RETURNING o.*
            """.formatted(CLAIM);

    private ClaimLatency() {}

    static void measure(HikariDataSource database) throws Exception {
        System.out.printf("%na claim of %d beside %,d pending%n", CLAIM, PENDING);
        try (SpreamQueue queue = new SpreamQueue(database, 1, index -> null);
                JdbcOutboxStore store = JdbcOutboxStore.builder(database).build()) {
            queue.load(PENDING);
            Sql.run(database, "VACUUM ANALYZE spream.outbox_orders, spream.idempo_ledger");
            Measurements.printTimes("spream, its ledger looked at", claims(store));
        }
        plainTable(database);
        Measurements.printTimes("by status, next_run_at and created_at", plainClaims(database));
    }

    private static List<Long> claims(JdbcOutboxStore store) {
        OutboxOwner owner = OutboxOwner.of("benchmark");
        List<Long> nanos = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            long startedAt = System.nanoTime();
            ClaimResult claimed = store.claim(owner, "", CLAIM, Duration.ofMinutes(2));
            nanos.add(System.nanoTime() - startedAt);
            if (claimed.claims().size() != CLAIM) {
                throw new IllegalStateException("claimed " + claimed.claims().size());
            }
            if (i % 2 == 0) { // half of them come back, as at a worker that is stopped
                List<Settlement> released = new ArrayList<>();
                claimed.claims().forEach(claim -> released.add(new Settlement.Released(claim.ref())));
                store.settle(owner, released);
            }
        }
        return nanos;
    }

    private static void plainTable(HikariDataSource database) throws Exception {
        Sql.run(database, """
                CREATE TABLE plain_outbox (
                    id bigserial PRIMARY KEY, idempotency_key text UNIQUE, order_request_json jsonb, request_digest text,
                    status text, attempts int DEFAULT 0, last_error_code text, last_error_msg text, locked_by text,
                    locked_at timestamptz, created_at timestamptz, updated_at timestamptz, expires_at timestamptz,
                    next_run_at timestamptz);
                CREATE INDEX ON plain_outbox (status, next_run_at);
                INSERT INTO plain_outbox (idempotency_key, order_request_json, request_digest, status, created_at)
                SELECT 'k' || i, '{"n": -1}', 'd', 'pending', now() + i * interval '1 ms' FROM generate_series(1, %d) AS i;
                """.formatted(PENDING));
        Sql.run(database, "VACUUM ANALYZE plain_outbox");
    }

    private static List<Long> plainClaims(HikariDataSource database) throws Exception {
        List<Long> nanos = new ArrayList<>();
        try (Connection connection = database.getConnection();
                PreparedStatement claim = connection.prepareStatement(PLAIN)) {
            for (int i = 0; i < PLAIN_TIMES; i++) {
                long startedAt = System.nanoTime();
                try (ResultSet rows = claim.executeQuery()) {
                    int count = 0;
                    while (rows.next()) {
                        count++;
                    }
                    if (count != CLAIM) {
                        throw new IllegalStateException("claimed " + count);
                    }
                }
                nanos.add(System.nanoTime() - startedAt);
            }
        }
        return nanos;
    }
}
