package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The messages that each outbox has of the current transaction of a connection, which are sent once it has committed.
 * Used by one thread at a time.
 */
final class TransactionMessages {
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

    /** Commits, and has the messages sent; if the commit fails, they are sent only if a claim finds them committed. */
    void commit(End commit) throws SQLException {
        try {
            commit.run();
            byOutbox.values().forEach(OutboxTransaction::committed);
        } finally {
            forget();
        }
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
