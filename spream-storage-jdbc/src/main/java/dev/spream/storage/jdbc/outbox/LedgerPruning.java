package dev.spream.storage.jdbc.outbox;

import java.sql.SQLException;
import java.util.List;

/**
 * Forgets old requests: locks their first generations, and then looks again whether they are old. Who opens a new generation
 * holds the first one as well.
 */
final class LedgerPruning {
    /** A request is settled after it was begun, so that the index over its beginning bounds the search. */
    private static final String LOCK = """
            SELECT l.idempotency_key FROM @ledger l
            WHERE l.generation = 1 AND l.created_at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                AND l.settled_at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                AND NOT EXISTS (SELECT FROM @outbox o WHERE o.idempotency_key = l.idempotency_key)
                AND NOT EXISTS (SELECT FROM @ledger later WHERE later.idempotency_key = l.idempotency_key
                    AND (later.settled_at > (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                        OR later.status = 'in_progress'))
            ORDER BY l.created_at LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final String DELETE = """
            WITH gone AS (
                DELETE FROM @ledger l
                WHERE l.idempotency_key = ANY (?)
                    AND NOT EXISTS (SELECT FROM @outbox o WHERE o.idempotency_key = l.idempotency_key)
                    AND NOT EXISTS (SELECT FROM @ledger later WHERE later.idempotency_key = l.idempotency_key
                        AND later.status = 'in_progress')
                RETURNING l.idempotency_key
            )
            SELECT count(DISTINCT idempotency_key) AS forgotten FROM gone""";

    private final OutboxDatabase database;

    LedgerPruning(OutboxDatabase database) {
        this.database = database;
    }

    int prune(long settledForMicros, int limit) {
        return database.inTransaction(
                "pruning the ledger of " + database.tables(),
                transaction -> prune(transaction, settledForMicros, limit));
    }

    /** In a transaction that does more. */
    static int prune(OutboxTransaction transaction, long settledForMicros, int limit) throws SQLException {
        List<String> keys = transaction.rows(
                LOCK,
                p -> p.number(settledForMicros)
                        .number(settledForMicros)
                        .number(settledForMicros)
                        .number(limit),
                row -> row.getString("idempotency_key"));
        return transaction
                .rows(DELETE, p -> p.texts(keys), row -> row.getInt("forgotten"))
                .getFirst();
    }
}
