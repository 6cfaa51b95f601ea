package dev.spream.storage.jdbc.deadletter;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.PGStatement;

/**
 * A transaction on a connection of its own. Whoever does not commit it rolls it back by closing it. Confined to one thread at
 * a time.
 */
final class Transaction implements AutoCloseable {
    /** What a server has to cancel a statement and say so, before the connection counts as dead. */
    private static final Duration ANSWER_TIME = Duration.ofSeconds(2);

    private final Connection connection;
    private final SchemaName schema;
    private final int timeLimitSeconds;
    private final int networkTimeout;
    private final boolean autoCommit;

    private Transaction(
            Connection connection, SchemaName schema, int timeLimitSeconds, int networkTimeout, boolean autoCommit) {
        this.connection = connection;
        this.schema = schema;
        this.timeLimitSeconds = timeLimitSeconds;
        this.networkTimeout = networkTimeout;
        this.autoCommit = autoCommit;
    }

    /** Takes over the connection, and closes it when it cannot be used. */
    static Transaction on(Connection connection, SchemaName schema, Duration timeLimit) throws SQLException {
        try {
            int networkTimeout = connection.getNetworkTimeout();
            boolean autoCommit = connection.getAutoCommit();
            connection.setNetworkTimeout(
                    Runnable::run, Math.toIntExact(timeLimit.plus(ANSWER_TIME).toMillis()));
            connection.setAutoCommit(false);
            try (Statement level = connection.createStatement()) { // whatever the server's default
                level.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            }
            return new Transaction(
                    connection, schema, Math.toIntExact(timeLimit.toSeconds()), networkTimeout, autoCommit);
        } catch (SQLException | RuntimeException e) {
            try (connection) {
                throw e;
            }
        }
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

    /** Of a statement that returns one row. */
    <T> T row(String sql, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        return rows(sql, binder, reader).getFirst();
    }

    int update(String sql, Database.Binder binder) throws SQLException {
        try (PreparedStatement statement = prepare(sql)) {
            binder.bind(new Parameters(connection, statement));
            return statement.executeUpdate();
        }
    }

    /** Planned anew each time: a plan that was kept from when the table was small is a thousand times slower later. */
    private PreparedStatement prepare(String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(schema.in(sql));
        statement.setQueryTimeout(timeLimitSeconds);
        if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
        return statement;
    }

    void commit() throws SQLException {
        connection.commit();
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
                connection.setNetworkTimeout(Runnable::run, networkTimeout);
            }
        }
    }
}
