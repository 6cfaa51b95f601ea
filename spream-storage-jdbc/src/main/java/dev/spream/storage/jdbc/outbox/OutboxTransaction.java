package dev.spream.storage.jdbc.outbox;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGStatement;

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
        try (PreparedStatement statement = prepare(sql)) {
            binder.bind(new Parameters(connection, statement));
            try (ResultSet result = statement.executeQuery()) {
                List<T> rows = new ArrayList<>();
                while (result.next()) {
                    rows.add(reader.read(result));
                }
                return rows;
            }
        }
    }

    int update(String sql, Database.Binder binder) throws SQLException {
        try (PreparedStatement statement = prepare(sql)) {
            binder.bind(new Parameters(connection, statement));
            return statement.executeUpdate();
        }
    }

    /** Planned anew each time: a plan that was kept from when the table was small is a thousand times slower later. */
    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(tables.in(sql));
        if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
        return statement;
    }
}
