package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The database of an outbox, whose tables statements name by their places. Safe for use by many threads. */
final class OutboxDatabase extends Database {
    private final OutboxTables tables;

    OutboxDatabase(DataSource dataSource, OutboxTables tables, Duration statementTimeout) {
        super(dataSource, tables::in, statementTimeout);
        this.tables = tables;
    }

    OutboxTables tables() {
        return tables;
    }

    /** Commits what several statements did, at READ COMMITTED. {@code what} names the call in the message of a failure. */
    <T> T inTransaction(String what, Work<T> work) {
        Transactions transactions = transactions();
        try {
            return transactions.run(connection -> {
                Statements.execute(connection, transactions.begin());
                return work.run(new Statements(connection, tables::in));
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    /** The caller's transaction, which is to be committed together with what the entries tell of. */
    Statements ofCaller(Connection transaction, String what) throws SQLException {
        return Statements.ofCaller(transaction, tables::in, what, "it would not belong to the change that it tells of");
    }
}
