package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import dev.spream.storage.jdbc.outbox.dialect.OutboxAuditTable;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Changes single entries for an operator. Each change is a transaction: it locks the entry, evaluates it as locked,
 * changes the ledger first and the entry second, and writes the audit row.
 */
record OperationsChanges(OutboxDatabase database) {
    private static final String LOCK = "SELECT 1 FROM @outbox WHERE id = ? @lock";

    /** Reads a locked entry. Separate from the lock, whose wait the time of its statement may not include. */
    private static final String READ = """
            SELECT o.status, o.idempotency_key, o.generation, o.request_digest,
                o.status = 'sending' AND o.lease_until > @now AS held,
                o.expires_at <= @now AS expired,
                o.status = 'sending' OR o.status IN ('pending', 'failed') AND o.next_run_at <= @now AS due
            FROM @outbox o WHERE o.id = ?""";

    private static final String REQUEUE = """
            UPDATE @outbox SET status = 'pending', generation = ?, attempts = 0,
                outcome_unknown = outcome_unknown AND next_run_at < @never, next_run_at = @now,
                last_error_code = NULL, last_error_msg = NULL,
                claim_token = claim_token + 1, locked_by = NULL, locked_at = NULL, lease_until = NULL,
                updated_at = @now
            WHERE id = ?""";

    private static final String ANSWER = """
            SELECT %s FROM @ledger l WHERE l.idempotency_key = ? AND l.generation = ? AND l.request_digest = ?""".formatted(LedgerRows.COLUMNS);

    private static final String BEGIN = """
            INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
            VALUES (?, ?, ?, 'in_progress', @now, @now)""";

    private static final String RECORD_RESULT = """
            UPDATE @ledger SET status = ?, http_status = ?, response_payload_json = ? @json, reason_code = ?,
                updated_at = @now, settled_at = @now
            WHERE idempotency_key = ? AND generation = ? AND status = 'in_progress' AND request_digest = ?""";

    private static final String SETTLE = """
            UPDATE @outbox SET status = ?, outcome_unknown = false,
                last_error_code = coalesce(?, last_error_code), last_error_msg = coalesce(?, last_error_msg),
                claim_token = claim_token + 1, locked_by = NULL, locked_at = NULL, lease_until = NULL,
                updated_at = @now
            WHERE id = ?""";

    private record Locked(
            OutboxStatus status,
            String key,
            int generation,
            String digest,
            boolean held,
            boolean expired,
            boolean due) {

        static Locked read(ResultSet row) throws SQLException {
            return new Locked(
                    OutboxStatus.of(row.getString("status")),
                    row.getString("idempotency_key"),
                    row.getInt("generation"),
                    row.getString("request_digest"),
                    row.getBoolean("held"),
                    row.getBoolean("expired"),
                    row.getBoolean("due"));
        }
    }

    /** The result of a change: done, with a note for the audit, or refused, with the reason. */
    private record Made(boolean done, String note) {
        static final Made DONE = new Made(true, "");

        static Made refused(String why) {
            return new Made(false, why);
        }
    }

    private interface Change {
        Made make(Statements transaction, Locked entry) throws SQLException;
    }

    OperatorResult requeue(long id, OperatorAction act) {
        return change("requeue", id, act, (transaction, entry) -> {
            Optional<String> refusal = refusalToRequeue(entry);
            if (refusal.isPresent()) {
                return Made.refused(refusal.get());
            }
            Optional<Integer> generation = entry.status() == OutboxStatus.ABORTED
                    ? LedgerReopening.reopen(
                            database,
                            transaction,
                            entry.key(),
                            last -> last.requestDigest().equals(entry.digest()))
                    : Optional.of(entry.generation());
            if (generation.isEmpty()) {
                return Made.refused("the ledger has no failed request for it");
            }
            transaction.update(REQUEUE, p -> p.number(generation.get()).number(id));
            return Made.DONE;
        });
    }

    private static Optional<String> refusalToRequeue(Locked entry) {
        if (entry.status() == OutboxStatus.SUCCEEDED) {
            return Optional.of("it succeeded");
        }
        if (entry.expired()) {
            return Optional.of("it has expired");
        }
        return entry.due() ? Optional.of("it is already due") : Optional.empty();
    }

    OperatorResult settle(String action, long id, LedgerResult result, OperatorAction act) {
        return change(action, id, act, (transaction, entry) -> {
            if (entry.status().isSettled()) {
                return Made.refused("it is already settled: " + entry.status().text());
            }
            if (recordResult(transaction, entry, result)) {
                end(transaction, id, result, (action.equals("abort") ? "aborted" : "settled") + " by an operator");
                return Made.DONE;
            }
            Optional<LedgerResult> answer = answer(transaction, entry);
            if (answer.isEmpty()) {
                return Made.refused("its key belongs to another request in the ledger");
            }
            end(transaction, id, answer.get(), "as the ledger says");
            return new Made(true, ", as the ledger said already");
        });
    }

    private static void end(Statements transaction, long id, LedgerResult result, String message) throws SQLException {
        boolean failed = result.status() == LedgerStatus.FAILED;
        transaction.update(
                SETTLE,
                p -> p.text((failed ? OutboxStatus.ABORTED : OutboxStatus.SUCCEEDED).text())
                        .optionalText(result.reason().map(ReasonCode::value))
                        .optionalText(failed ? Optional.of(message) : Optional.empty())
                        .number(id));
    }

    /** Returns the stored result of the request; the statement sees the rows that the previous one has waited for. */
    private static Optional<LedgerResult> answer(Statements transaction, Locked entry) throws SQLException {
        return transaction
                .find(
                        ANSWER,
                        p -> p.text(entry.key()).number(entry.generation()).text(entry.digest()),
                        LedgerRows::read)
                .flatMap(LedgerEntry::result);
    }

    /** Records the result of the request if it is in progress, or the ledger does not have it. */
    private boolean recordResult(Statements transaction, Locked entry, LedgerResult result) throws SQLException {
        database.insertIfAbsent(
                transaction,
                BEGIN,
                p -> p.text(entry.key()).number(entry.generation()).text(entry.digest()));
        return transaction.update(
                        RECORD_RESULT,
                        p -> p.text(result.status().text())
                                .number(result.httpStatus())
                                .optionalText(result.responsePayload().map(LedgerRows::storable))
                                .optionalText(result.reason().map(ReasonCode::value))
                                .text(entry.key())
                                .number(entry.generation())
                                .text(entry.digest()))
                == 1;
    }

    private OperatorResult change(String action, long id, OperatorAction act, Change change) {
        return database.inTransaction(
                "changing an entry of %s by %s".formatted(database.tables(), action), transaction -> {
                    if (transaction.rows(LOCK, p -> p.number(id), row -> true).isEmpty()) {
                        return new OperatorResult.NotFound();
                    }
                    Locked entry = transaction.row(READ, p -> p.number(id), Locked::read);
                    Made made = entry.held() ? Made.refused("a worker is sending it") : change.make(transaction, entry);
                    OutboxRow row = OperationsRows.find(transaction, id).orElseThrow();
                    if (!made.done()) {
                        return new OperatorResult.Refused(row, made.note());
                    }
                    OutboxAuditTable.add(transaction, action, entry.status(), row, made.note(), act);
                    return new OperatorResult.Done(row);
                });
    }
}
