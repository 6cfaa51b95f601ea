package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxHistory;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxAuditTable;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.RequestPruning;
import java.sql.SQLException;
import java.util.List;

/**
 * Removes old rows of the history, a bounded number in each transaction, and releases expired claims. Rows that another
 * transaction has locked are skipped.
 */
record MySqlHistory(OutboxDatabase database, RequestPruning ledger) {
    static final String OLD_ENTRIES = """
            SELECT id FROM @outbox FORCE INDEX (settled) WHERE settled_at <= @now - INTERVAL ? MICROSECOND
            ORDER BY settled_at, id LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final String REMOVE_ENTRIES = "DELETE FROM @outbox WHERE id IN (*)";

    static final String OLD_AUDIT = """
            SELECT id FROM @audit FORCE INDEX (at) WHERE at <= @now - INTERVAL ? MICROSECOND
            ORDER BY at, id LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final String REMOVE_AUDIT = "DELETE FROM @audit WHERE id IN (*)";

    private static final String LAPSED = """
            SELECT id, idempotency_key, generation FROM @outbox FORCE INDEX (status)
            WHERE status = 'sending' AND lease_until <= @now ORDER BY id FOR UPDATE SKIP LOCKED""";

    private static final String RELEASE = """
            UPDATE @outbox SET status = 'pending', outcome_unknown = TRUE, next_run_at = @now,
                claim_token = claim_token + 1, locked_by = NULL, locked_at = NULL, lease_until = NULL, updated_at = @now
            WHERE id IN (*)""";

    private record Lapsed(long id, String key, int generation) {}

    int remove(OutboxHistory part, long ageMicros, int limit) {
        return switch (part) {
            case ENTRIES ->
                database.inTransaction(
                        "removing old entries of " + database.tables(),
                        transaction -> removeEntries(transaction, ageMicros, limit));
            case LEDGER -> ledger.step(ageMicros, limit);
            case AUDIT ->
                database.inTransaction(
                        "removing old rows of the audit of " + database.tables(),
                        transaction -> remove(transaction, OLD_AUDIT, REMOVE_AUDIT, ageMicros, limit));
        };
    }

    private static int removeEntries(Statements transaction, long ageMicros, int limit) throws SQLException {
        return remove(transaction, OLD_ENTRIES, REMOVE_ENTRIES, ageMicros, limit);
    }

    private static int remove(Statements transaction, String old, String removal, long ageMicros, int limit)
            throws SQLException {
        List<Long> ids = transaction.rows(old, p -> p.number(ageMicros).number(limit), row -> row.getLong("id"));
        return ids.isEmpty() ? 0 : transaction.update(Placeholders.in(removal, ids), p -> Placeholders.numbers(p, ids));
    }

    int purge(long settledForMicros, int limit, OperatorAction act) {
        return database.inTransaction("purging " + database.tables(), transaction -> {
            int removed = removeEntries(transaction, settledForMicros, limit);
            if (removed > 0) {
                OutboxAuditTable.add(transaction, "purge", removed + " removed", act);
            }
            return removed;
        });
    }

    int releaseExpired(OperatorAction act) {
        return database.inTransaction("releasing expired entries of " + database.tables(), transaction -> {
            List<Lapsed> lapsed = transaction.rows(
                    LAPSED,
                    p -> {},
                    row -> new Lapsed(row.getLong("id"), row.getString("idempotency_key"), row.getInt("generation")));
            if (lapsed.isEmpty()) {
                return 0;
            }
            List<Long> ids = lapsed.stream().map(Lapsed::id).toList();
            transaction.update(Placeholders.in(RELEASE, ids), p -> Placeholders.numbers(p, ids));
            for (Lapsed each : lapsed) {
                OutboxAuditTable.add(
                        transaction,
                        "release-expired",
                        each.id(),
                        each.key(),
                        "sending -> pending, generation " + each.generation(),
                        act);
            }
            return lapsed.size();
        });
    }
}
