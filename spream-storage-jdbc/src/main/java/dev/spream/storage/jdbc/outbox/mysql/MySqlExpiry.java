package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.mysql.EntryWrites.Change;
import dev.spream.storage.jdbc.outbox.mysql.EntryWrites.Due;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Ends entries that expired before they were claimed. The ledger is written first; an entry whose request has a result
 * there, or whose key belongs to another request, is settled as a claim would have done.
 */
record MySqlExpiry(OutboxDatabase database) {
    static final String EXPIRED = """
            SELECT id, idempotency_key, generation, request_digest, outcome_unknown FROM @outbox FORCE INDEX (expiring)
            WHERE expiring_at <= @now ORDER BY expiring_at, id LIMIT ? FOR UPDATE SKIP LOCKED""";

    private static final Optional<String> REASON = Optional.of(ReasonCode.EXPIRED.value());
    private static final Change PARKED = new Change(
            "failed",
            0,
            false,
            Due.NEVER,
            Optional.empty(),
            REASON,
            Optional.of("expired, and an earlier attempt may have reached the receiver"));
    private static final Change ABORTED = Change.settled("aborted", REASON, Optional.of("expired before it was sent"));
    private static final LedgerLocks.Result RESULT =
            new LedgerLocks.Result("failed", ReasonCode.EXPIRED.httpStatus(), Optional.empty(), REASON);

    private record Expired(long id, LedgerLocks.Request request, String digest, boolean outcomeUnknown) {
        static Expired read(ResultSet row) throws SQLException {
            return new Expired(
                    row.getLong("id"),
                    new LedgerLocks.Request(row.getString("idempotency_key"), row.getInt("generation")),
                    row.getString("request_digest"),
                    row.getBoolean("outcome_unknown"));
        }
    }

    int expire(int limit) {
        return database.inTransaction(
                "settling expired entries of " + database.tables(), transaction -> expire(transaction, limit));
    }

    private int expire(Statements transaction, int limit) throws SQLException {
        List<Expired> expired = transaction.rows(EXPIRED, p -> p.number(limit), Expired::read);
        Map<LedgerLocks.Request, String> digests = new HashMap<>();
        expired.forEach(each -> digests.put(each.request(), each.digest()));
        LedgerLocks ledger = new LedgerLocks(database, transaction);
        Map<LedgerLocks.Request, LedgerLocks.Known> requests = ledger.lock(digests);
        Map<LedgerLocks.Request, LedgerLocks.Result> results = new HashMap<>();
        EntryWrites writes = new EntryWrites();
        int ended = 0;
        for (Expired each : expired) {
            LedgerLocks.Known known = requests.get(each.request());
            if (known == null) {
                continue; // another session has locked its request
            }
            ended++;
            if (!known.digest().equals(each.digest())) {
                writes.add(each.id(), Change.conflict());
            } else if (known.isSettled()) {
                writes.add(each.id(), Change.synchronised(known));
            } else if (each.outcomeUnknown()) {
                writes.add(each.id(), PARKED);
            } else {
                results.put(each.request(), RESULT);
                writes.add(each.id(), ABORTED);
            }
        }
        ledger.book(results);
        writes.write(transaction);
        return ended;
    }
}
