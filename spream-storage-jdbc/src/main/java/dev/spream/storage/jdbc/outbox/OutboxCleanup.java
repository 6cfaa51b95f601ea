package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OperatorAction;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;

/** Maintenance of many entries at once: releases expired claims, and purges old settled entries. */
record OutboxCleanup(OutboxDatabase database) {
    /**
     * Releases expired claims. Rows are locked in the order of their ids, as in all statements; rows locked by another
     * session are skipped.
     */
    private static final String RELEASE = """
            WITH lapsed AS MATERIALIZED (
                SELECT o.id FROM @outbox o
                WHERE o.status = 'sending' AND o.lease_until <= (SELECT clock_timestamp())
                ORDER BY o.id FOR NO KEY UPDATE SKIP LOCKED
            ), released AS (
                UPDATE @outbox o SET status = 'pending', outcome_unknown = true, next_run_at = clock_timestamp(),
                    claim_token = o.claim_token + 1, locked_by = NULL, locked_at = NULL, lease_until = NULL,
                    updated_at = clock_timestamp()
                FROM lapsed WHERE o.id = lapsed.id
                RETURNING o.id, o.idempotency_key, o.generation
            )
            INSERT INTO @audit (actor, action, entry_id, idempotency_key, outcome, reason)
            SELECT ?, 'release-expired', id, idempotency_key, 'sending -> pending, generation ' || generation, ?
            FROM released ORDER BY id""";

    static final String PURGE = HistoryRemoval.OLD_ENTRIES + """
            , gone AS (
                DELETE FROM @outbox o USING old WHERE o.id = old.id RETURNING o.id
            ), counted AS (
                SELECT count(*) AS removed FROM gone
            ), noted AS (
                INSERT INTO @audit (actor, action, entry_id, idempotency_key, outcome, reason)
                SELECT ?, 'purge', 0, '', removed || ' removed', ? FROM counted WHERE removed > 0
            )
            SELECT removed FROM counted""";

    int releaseExpired(OperatorAction act) {
        return database.update(
                "releasing expired entries of " + database.tables(),
                RELEASE,
                p -> p.text(Parameters.storable(act.actor())).text(Parameters.storable(act.reason())));
    }

    int purge(long settledForMicros, int limit, OperatorAction act) {
        return database.row(
                "purging " + database.tables(),
                PURGE,
                p -> p.number(settledForMicros)
                        .number(limit)
                        .text(Parameters.storable(act.actor()))
                        .text(Parameters.storable(act.reason())),
                row -> row.getInt("removed"));
    }
}
