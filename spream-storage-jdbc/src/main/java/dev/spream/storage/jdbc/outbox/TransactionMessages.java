package dev.spream.storage.jdbc.outbox;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The messages that each outbox has of the current transaction of a connection, which are sent once it has committed.
 * Used by one thread at a time.
 */
final class TransactionMessages {
    /** @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL: error codes</a> */
    private static final String INVALID_TRANSACTION = "25000";

    private final Connection connection;
    private final Map<JdbcOutbox, OutboxTransaction> byOutbox = new LinkedHashMap<>();
    private final Map<OutboxTransaction, JdbcOutbox> doubtful = new LinkedHashMap<>();

    TransactionMessages(Connection connection) {
        this.connection = connection;
    }

    OutboxTransaction of(JdbcOutbox outbox) {
        return byOutbox.computeIfAbsent(outbox, any -> outbox.begin(connection));
    }

    /** A statement that ends the transaction, or may end it. */
    interface End {
        void run() throws SQLException;
    }

    /**
     * Commits, and has the messages sent; if the commit fails, they are sent only if a claim finds them committed.
     *
     * @throws SQLException if the commit failed, or would be a rollback, which is done then
     */
    void commit(End commit) throws SQLException {
        try {
            requireCommittable();
            commit.run();
            byOutbox.values().forEach(OutboxTransaction::committed);
        } finally {
            forget();
        }
    }

    private void requireCommittable() throws SQLException {
        try {
            byOutbox.values().forEach(OutboxTransaction::requireCommittable);
            if (!doubtful.isEmpty() && isFailed(connection)) {
                throw SqlErrors.permanent(
                        "committing messages failed: an error that the program ignored ended the transaction; nothing of it was committed or is sent. Rethrow errors, or set a savepoint before the statement");
            }
        } catch (StorageException | IllegalStateException e) {
            SQLException failure = new SQLException(e.getMessage(), INVALID_TRANSACTION, e);
            try {
                connection.rollback();
            } catch (SQLException another) {
                failure.addSuppressed(another);
            }
            throw failure;
        }
    }

    /** Returns whether an error has aborted the transaction, as known by PostgreSQL's driver; false for other drivers. */
    static boolean isFailed(Connection connection) throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                && connection.unwrap(BaseConnection.class).getTransactionState() == TransactionState.FAILED;
    }

    /** Ends the transaction without a commit. */
    void end(End end) throws SQLException {
        try {
            end.run();
        } finally {
            forget();
        }
    }

    /**
     * Records a rollback to a savepoint. Earlier entries that were claimed as they were enqueued may be gone: at the commit
     * all of them are released, for workers to claim those that exist.
     */
    void partlyRolledBack() {
        byOutbox.forEach((outbox, messages) -> doubtful.put(messages, outbox));
        byOutbox.clear();
    }

    private void forget() {
        byOutbox.values().forEach(OutboxTransaction::close);
        byOutbox.clear();
        doubtful.keySet().forEach(OutboxTransaction::close);
        doubtful.values().forEach(JdbcOutbox::signal);
        doubtful.clear();
    }
}
