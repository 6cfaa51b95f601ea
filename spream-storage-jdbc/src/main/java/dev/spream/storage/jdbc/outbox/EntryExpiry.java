package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;

/** Ends entries that expired before they were claimed. The ledger is written first. */
record EntryExpiry(OutboxDatabase database) {
    /**
     * Aborts or parks expired entries. Entries whose request has a result in the ledger are left to {@link #FOLLOW}.
     */
    static final String EXPIRE = """
            WITH gone AS MATERIALIZED (
                SELECT o.id, o.idempotency_key, o.generation, o.request_digest, o.outcome_unknown AS is_parked
                FROM @outbox o
                WHERE o.status IN ('pending', 'failed') AND o.expires_at IS NOT NULL AND o.next_run_at < 'infinity'
                    AND o.expires_at <= (SELECT clock_timestamp())
                ORDER BY o.expires_at LIMIT ? FOR NO KEY UPDATE SKIP LOCKED
            ), parked AS MATERIALIZED (
                SELECT gone.id
                FROM gone LEFT JOIN LATERAL (
                    SELECT l.status <> 'in_progress' OR l.request_digest <> gone.request_digest AS is_answered FROM @ledger l
                    WHERE l.idempotency_key = gone.idempotency_key AND l.generation = gone.generation
                    LIMIT 1) AS known ON true
                WHERE gone.is_parked AND NOT coalesce(known.is_answered, false)
            ), booked AS (
                INSERT INTO @ledger AS l (idempotency_key, generation, request_digest, status, http_status, reason_code,
                    created_at, updated_at, settled_at)
                SELECT idempotency_key, generation, request_digest, 'failed', %2$d, '%1$s',
                    clock_timestamp(), clock_timestamp(), clock_timestamp()
                FROM gone WHERE NOT is_parked
                ON CONFLICT (idempotency_key, generation) DO UPDATE SET
                    status = excluded.status, http_status = excluded.http_status, reason_code = excluded.reason_code,
                    updated_at = excluded.updated_at, settled_at = excluded.settled_at
                WHERE l.status = 'in_progress' AND l.request_digest = excluded.request_digest
                RETURNING l.idempotency_key
            )
            UPDATE @outbox o SET
                status = CASE WHEN gone.is_parked THEN 'failed' ELSE 'aborted' END,
                next_run_at = CASE WHEN gone.is_parked THEN 'infinity' ELSE o.next_run_at END,
                last_error_code = '%1$s',
                last_error_msg = CASE
                    WHEN o.outcome_unknown THEN 'expired, and an earlier attempt may have reached the receiver'
                    ELSE 'expired before it was sent'
                END,
                updated_at = clock_timestamp()
            FROM gone LEFT JOIN booked USING (idempotency_key) LEFT JOIN parked USING (id)
            WHERE o.id = gone.id AND (parked.id IS NOT NULL OR booked.idempotency_key IS NOT NULL)""".formatted(ReasonCode.EXPIRED, ReasonCode.EXPIRED.httpStatus());

    /**
     * Settles expired entries whose request has a result in the ledger, or whose key belongs to another request, as a
     * claim would have done.
     */
    static final String FOLLOW = """
            WITH gone AS MATERIALIZED (
                SELECT o.id, l.status, l.reason_code, l.request_digest <> o.request_digest AS is_conflict
                FROM @outbox o
                JOIN @ledger l ON l.idempotency_key = o.idempotency_key AND l.generation = o.generation
                WHERE o.status IN ('pending', 'failed') AND o.expires_at IS NOT NULL AND o.next_run_at < 'infinity'
                    AND o.expires_at <= (SELECT clock_timestamp())
                    AND (l.status <> 'in_progress' OR l.request_digest <> o.request_digest)
                ORDER BY o.expires_at LIMIT ? FOR NO KEY UPDATE OF o SKIP LOCKED
            )
            UPDATE @outbox o SET
                status = CASE WHEN NOT gone.is_conflict AND gone.status = 'succeeded' THEN 'succeeded' ELSE 'aborted' END,
                last_error_code = CASE
                    WHEN gone.is_conflict THEN '%s'
                    WHEN gone.status = 'failed' THEN coalesce(gone.reason_code, '%s')
                    ELSE o.last_error_code
                END,
                outcome_unknown = false,
                updated_at = clock_timestamp()
            FROM gone WHERE o.id = gone.id""".formatted(ReasonCode.IDEMPOTENCY_CONFLICT, ReasonCode.INTERNAL_ERROR);

    int expire(int limit) {
        String what = "settling expired entries of " + database.tables();
        int settled = database.update(what, FOLLOW, p -> p.number(limit));
        return settled >= limit ? settled : settled + database.update(what, EXPIRE, p -> p.number(limit - settled));
    }
}
