package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.RequestPruning;
import java.sql.SQLException;
import java.util.List;

/** Removes old requests from the ledger in PostgreSQL. */
final class OutboxLedgerPruning extends RequestPruning {
    /**
     * Joins that find the reasons to keep the requests {@code w}; each is looked up by its key, regardless of the
     * server's statistics.
     */
    private static final String REASONS_TO_KEEP = """
            LEFT JOIN LATERAL (SELECT 1 AS here FROM @outbox o WHERE o.idempotency_key = w.idempotency_key LIMIT 1)
                AS kept ON true
            LEFT JOIN LATERAL (SELECT 1 AS here FROM @ledger later WHERE later.idempotency_key = w.idempotency_key
                    AND (later.settled_at > (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                        OR later.status = 'in_progress')
                LIMIT 1) AS again ON true""";

    /**
     * Reads the next requests. A request is settled after it was begun, so the index on the time of its beginning
     * bounds the scan. The condition on the generation is that of the partial index; for an equality, the server would
     * estimate few rows and sort all of them.
     */
    static final String LOOK = """
            WITH walked AS MATERIALIZED (
                SELECT l.idempotency_key, l.created_at, l.settled_at FROM @ledger l
                WHERE l.generation < 2 AND l.created_at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                    AND (l.created_at, l.idempotency_key) > (?::timestamptz, ?)
                ORDER BY l.created_at, l.idempotency_key LIMIT ?
            )
            SELECT w.idempotency_key, w.created_at::text AS begun,
                coalesce(w.settled_at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond', false)
                    AND kept.here IS NULL AND again.here IS NULL AS is_old
            FROM walked w
            %s
            ORDER BY w.created_at, w.idempotency_key""".formatted(REASONS_TO_KEEP);

    static final String LOCK = """
            SELECT l.idempotency_key FROM @ledger l
            WHERE l.idempotency_key = ANY (?) AND l.generation = 1
            ORDER BY l.idempotency_key FOR UPDATE SKIP LOCKED""";

    static final String DELETE = """
            WITH old AS MATERIALIZED (
                SELECT w.idempotency_key FROM unnest(?) AS w (idempotency_key)
                %s
                WHERE kept.here IS NULL AND again.here IS NULL
            ), gone AS (
                DELETE FROM @ledger l USING old WHERE l.idempotency_key = old.idempotency_key RETURNING l.idempotency_key
            )
            SELECT count(DISTINCT idempotency_key) AS forgotten FROM gone""".formatted(REASONS_TO_KEEP);

    OutboxLedgerPruning(OutboxDatabase database) {
        super(database, "-infinity");
    }

    @Override
    protected List<Looked> look(Statements transaction, Position after, long settledForMicros, int limit)
            throws SQLException {
        return transaction.rows(
                LOOK,
                p -> p.number(settledForMicros)
                        .text(after.begun())
                        .text(after.key())
                        .number(limit)
                        .number(settledForMicros)
                        .number(settledForMicros),
                row -> new Looked(
                        new Position(row.getString("begun"), row.getString("idempotency_key")),
                        row.getBoolean("is_old")));
    }

    @Override
    protected int forget(Statements transaction, List<String> keys, long settledForMicros) throws SQLException {
        List<String> locked = transaction.rows(LOCK, p -> p.texts(keys), row -> row.getString("idempotency_key"));
        return transaction.row(DELETE, p -> p.texts(locked).number(settledForMicros), row -> row.getInt("forgotten"));
    }
}
