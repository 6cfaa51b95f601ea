package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxHistory;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;

/**
 * Removes old rows of the history, a bounded number in each statement. Rows that another transaction has locked are
 * skipped.
 */
record HistoryRemoval(OutboxDatabase database, OutboxLedgerPruning ledger) {
    /** Selects old settled entries. The condition on the status is that of the partial index. */
    static final String OLD_ENTRIES = """
            WITH old AS MATERIALIZED (
                SELECT o.id FROM @outbox o
                WHERE o.status IN ('succeeded', 'aborted')
                    AND o.updated_at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                ORDER BY o.updated_at, o.id LIMIT ? FOR UPDATE SKIP LOCKED
            )""";

    static final String ENTRIES = OLD_ENTRIES + " DELETE FROM @outbox o USING old WHERE o.id = old.id";

    static final String AUDIT = """
            WITH old AS MATERIALIZED (
                SELECT a.id FROM @audit a
                WHERE a.at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                ORDER BY a.at, a.id LIMIT ? FOR UPDATE SKIP LOCKED
            )
            DELETE FROM @audit a USING old WHERE a.id = old.id""";

    int remove(OutboxHistory part, long ageMicros, int limit) {
        return switch (part) {
            case ENTRIES ->
                database.update(
                        "removing old entries of " + database.tables(),
                        ENTRIES,
                        p -> p.number(ageMicros).number(limit));
            case LEDGER -> ledger.step(ageMicros, limit);
            case AUDIT ->
                database.update(
                        "removing old rows of the audit of " + database.tables(),
                        AUDIT,
                        p -> p.number(ageMicros).number(limit));
        };
    }
}
