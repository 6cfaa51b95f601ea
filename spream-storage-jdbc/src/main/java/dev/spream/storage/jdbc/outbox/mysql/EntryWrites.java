package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Changes of locked entries that release their claims. Entries with equal changes are written by one statement. */
final class EntryWrites {
    private static final String WRITE = """
            UPDATE @outbox SET status = ?, attempts = attempts - ?, claim_token = claim_token + ?,
                next_run_at = CASE ?
                    WHEN 'in' THEN LEAST(@now + INTERVAL ? MICROSECOND, COALESCE(expires_at, CAST(@never AS DATETIME(6))))
                    WHEN 'never' THEN @never ELSE next_run_at END,
                outcome_unknown = COALESCE(?, outcome_unknown),
                last_error_code = COALESCE(?, last_error_code), last_error_msg = COALESCE(LEFT(?, 512), last_error_msg),
                locked_by = NULL, locked_at = NULL, lease_until = NULL, updated_at = @now
            WHERE id IN (*)""";

    private final Map<Change, List<Long>> changes = new LinkedHashMap<>();

    /** The time at which an entry is due next: as before, after a delay but when it expires at the latest, or never. */
    record Due(String when, long micros) {
        static final Due AS_BEFORE = new Due("", 0);
        static final Due NEVER = new Due("never", 0);

        static Due in(long micros) {
            return new Due("in", micros);
        }
    }

    /**
     * The change of an entry. What is empty stays as it is.
     *
     * @param uncounted the number of attempts that do not count
     * @param takesOver whether the claim of a worker ends, if there is one
     */
    record Change(
            String status,
            int uncounted,
            boolean takesOver,
            Due due,
            Optional<Boolean> outcomeUnknown,
            Optional<String> reason,
            Optional<String> message) {

        /** A change to a status in which the entry is not sent again. */
        static Change settled(String status, Optional<String> reason, Optional<String> message) {
            return new Change(status, 0, false, Due.AS_BEFORE, Optional.of(false), reason, message);
        }

        /** A change to what the ledger has under the key. */
        static Change synchronised(LedgerLocks.Known ledger) {
            return ledger.hasSucceeded()
                    ? settled("succeeded", Optional.empty(), Optional.empty())
                    : settled("aborted", Optional.of(ledger.failure()), Optional.empty());
        }

        /** The change of an entry whose key has another request in the ledger. */
        static Change conflict() {
            return settled(
                    "aborted",
                    Optional.of(ReasonCode.IDEMPOTENCY_CONFLICT.value()),
                    Optional.of("the ledger has another request under this key"));
        }

        Change takingOver() {
            return new Change(status, uncounted, true, due, outcomeUnknown, reason, message);
        }
    }

    void add(long id, Change change) {
        changes.computeIfAbsent(change, same -> new ArrayList<>()).add(id);
    }

    void write(Statements transaction) throws SQLException {
        for (Map.Entry<Change, List<Long>> each : changes.entrySet()) {
            Change change = each.getKey();
            List<Long> ids = each.getValue();
            transaction.update(
                    Placeholders.in(WRITE, ids),
                    p -> Placeholders.numbers(
                            p.text(change.status())
                                    .number(change.uncounted())
                                    .number(change.takesOver() ? 1 : 0)
                                    .text(change.due().when())
                                    .number(change.due().micros())
                                    .optionalInteger(change.outcomeUnknown().map(unknown -> unknown ? 1 : 0))
                                    .optionalText(change.reason())
                                    .optionalText(change.message()),
                            ids));
        }
    }
}
