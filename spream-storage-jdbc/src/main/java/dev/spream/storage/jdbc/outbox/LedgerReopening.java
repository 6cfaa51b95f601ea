package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Begins a failed request again, as its next generation. */
final class LedgerReopening {
    /** Locks the last generation in a mode that conflicts with pruning. */
    private static final String LAST = """
            SELECT %s FROM @ledger l WHERE l.idempotency_key = ? ORDER BY l.generation DESC LIMIT 1 @hold""".formatted(LedgerRows.COLUMNS);

    private static final String REOPEN = """
            INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
            VALUES (?, ?, ?, 'in_progress', @now, @now)""";

    private LedgerReopening() {}

    /**
     * Returns the new generation; empty if the last one has not failed or is not the expected request, or if another
     * transaction has begun the next one.
     */
    static Optional<Integer> reopen(
            OutboxDatabase database, Statements transaction, String key, Predicate<LedgerEntry> expected)
            throws SQLException {
        List<LedgerEntry> found = transaction.rows(LAST, p -> p.text(key), LedgerRows::read);
        if (found.isEmpty() || found.getFirst().status() != LedgerStatus.FAILED || !expected.test(found.getFirst())) {
            return Optional.empty();
        }
        LedgerEntry last = found.getFirst();
        int next = last.generation() + 1;
        boolean begun = database.insertIfAbsent(
                transaction, REOPEN, p -> p.text(key).number(next).text(last.requestDigest()));
        return begun ? Optional.of(next) : Optional.empty();
    }
}
