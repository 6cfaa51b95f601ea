package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerClaim;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.outbox.dialect.LedgerRows;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * An {@link IdempotencyLedger} in a database: the ledger of an outbox, created with its tables. Transactions are the
 * caller's connections; use READ COMMITTED.
 *
 * <p>Safe for use by many threads. The caller owns the data source and closes it afterwards.
 */
public final class JdbcIdempotencyLedger implements IdempotencyLedger<Connection> {
    private static final String BEGIN = """
            INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
            VALUES (?, 1, ?, 'in_progress', @now, @now)""";

    private static final String FIND = """
            SELECT %s FROM @ledger l WHERE l.idempotency_key = ? ORDER BY l.generation DESC LIMIT 1""".formatted(LedgerRows.COLUMNS);

    private static final String FIND_LATEST = FIND + " @latest";

    private static final String SETTLE = """
            UPDATE @ledger SET status = ?, http_status = ?, response_payload_json = ? @json, reason_code = ?,
                settled_at = @now, updated_at = @now
            WHERE idempotency_key = ? AND generation = ? AND request_digest = ? AND status = 'in_progress'""";

    /** Locks the rows of the key in a mode that conflicts with pruning: each waits for the other. */
    private static final String HOLD = "SELECT 1 FROM @ledger WHERE idempotency_key = ? @hold";

    /** The maximum number of attempts while the key is pruned between two statements. */
    private static final int ROUNDS = 5;

    private final OutboxSql sql;
    private final OutboxDatabase database;

    private JdbcIdempotencyLedger(OutboxSql sql) {
        this.sql = sql;
        this.database = sql.database();
    }

    /** Opens the ledger {@code idempo_ledger} in the schema {@code spream}, and creates it if it does not exist. */
    public static JdbcIdempotencyLedger create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static OutboxBuilder<JdbcIdempotencyLedger> builder(DataSource dataSource) {
        return new OutboxBuilder<>(dataSource, JdbcIdempotencyLedger::new);
    }

    @Override
    public Class<Connection> transactionType() {
        return Connection.class;
    }

    @Override
    public LedgerClaim claim(Connection transaction, String idempotencyKey, String requestDigest) {
        return call("claiming an idempotency key", transaction, caller -> {
            for (int round = 0; round < ROUNDS; round++) {
                if (database.insertIfAbsent(
                        caller, BEGIN, p -> p.text(idempotencyKey).text(requestDigest))) {
                    return new LedgerClaim.Begun(1);
                }
                List<LedgerEntry> found = caller.rows(FIND_LATEST, p -> p.text(idempotencyKey), LedgerRows::read);
                if (!found.isEmpty()) {
                    return refusal(found.getFirst(), requestDigest);
                }
            }
            throw new SQLException("the key was removed from the ledger at the same time", "40001");
        });
    }

    private static LedgerClaim refusal(LedgerEntry entry, String requestDigest) {
        if (!entry.requestDigest().equals(requestDigest)) {
            return new LedgerClaim.Conflict(entry);
        }
        return entry.status() == LedgerStatus.IN_PROGRESS
                ? new LedgerClaim.InProgress(entry)
                : new LedgerClaim.Settled(entry);
    }

    @Override
    public boolean settle(
            Connection transaction, String idempotencyKey, int generation, String requestDigest, LedgerResult result) {
        return call(
                "settling a request",
                transaction,
                caller -> caller.update(
                                SETTLE,
                                p -> p.text(result.status().text())
                                        .number(result.httpStatus())
                                        .optionalText(result.responsePayload().map(LedgerRows::storable))
                                        .optionalText(result.reason().map(ReasonCode::value))
                                        .text(idempotencyKey)
                                        .number(generation)
                                        .text(requestDigest))
                        == 1);
    }

    @Override
    public Optional<Integer> reopen(Connection transaction, String idempotencyKey) {
        return call("beginning a request again", transaction, caller -> {
            caller.rows(HOLD, p -> p.text(idempotencyKey), row -> true);
            return LedgerReopening.reopen(database, caller, idempotencyKey, last -> true);
        });
    }

    @Override
    public Optional<LedgerEntry> find(String idempotencyKey) {
        return database.find("finding a request", FIND, p -> p.text(idempotencyKey), LedgerRows::read);
    }

    @Override
    public int prune(Duration settledFor, int limit) {
        return sql.pruneLedger(settledFor, limit);
    }

    private <T> T call(String action, Connection transaction, Database.Work<T> work) {
        String what = "%s in the ledger of %s".formatted(action, database.tables());
        try {
            return work.run(database.ofCaller(transaction, what));
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }
}
