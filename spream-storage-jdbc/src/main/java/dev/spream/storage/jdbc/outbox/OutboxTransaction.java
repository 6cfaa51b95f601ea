package dev.spream.storage.jdbc.outbox;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * Statements about an outbox in a transaction that somebody else begins and ends. Confined to a call.
 *
 * @param connection its owner commits
 */
record OutboxTransaction(Connection connection, OutboxTables tables) {

    /**
     * The transaction that the connection is in, or begins with the next statement.
     *
     * @param what names the call in the message of a failure
     * @throws StorageException if the connection commits each statement by itself
     */
    static OutboxTransaction of(Connection connection, OutboxTables tables, String what) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new StorageException(
                    what
                            + " failed: the connection is in auto-commit mode, where it would not belong to the change that"
                            + " it tells of; call setAutoCommit(false) first",
                    false,
                    null);
        }
        return new OutboxTransaction(connection, tables);
    }

    <T> List<T> rows(String sql, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        return new Statements(connection, tables::in).rows(sql, binder, reader);
    }

    int update(String sql, Database.Binder binder) throws SQLException {
        return new Statements(connection, tables::in).update(sql, binder);
    }
}
