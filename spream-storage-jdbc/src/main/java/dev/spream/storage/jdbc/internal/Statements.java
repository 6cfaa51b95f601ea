package dev.spream.storage.jdbc.internal;

import dev.spream.core.StorageException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/**
 * Runs statements on one connection, which its owner closes. Confined to one thread at a time.
 *
 * @param names replaces the placeholders of tables in a statement by their names
 * @param timeLimitSeconds the time limit of each; 0 for the limit of the transaction
 * @param plans the plans that sessions keep; null if each execution is planned anew
 */
public record Statements(
        Connection connection,
        UnaryOperator<String> names,
        int timeLimitSeconds,
        @Nullable SessionPlans plans) {

    /** Creates the statements of a transaction that sets its limits itself. */
    public Statements(Connection connection, UnaryOperator<String> names) {
        this(connection, names, 0, null);
    }

    /** Returns these statements with plans that sessions keep. */
    public Statements with(SessionPlans kept) {
        return new Statements(connection, names, timeLimitSeconds, kept);
    }

    /**
     * Returns the statements of the transaction that a connection is in, or begins with the next statement.
     *
     * @param what names the call in the message of a failure
     * @param apart the consequence of auto-commit mode, for that message
     * @throws StorageException if the connection is in auto-commit mode
     */
    public static Statements ofCaller(Connection connection, UnaryOperator<String> names, String what, String apart)
            throws SQLException {
        if (connection.getAutoCommit()) {
            throw SqlErrors.permanent(
                    "%s failed: the connection is in auto-commit mode, where %s; call setAutoCommit(false) first"
                            .formatted(what, apart));
        }
        return new Statements(connection, names);
    }

    public <T> List<T> rows(String sql, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        List<T> rows = new ArrayList<>();
        each(sql, binder, row -> rows.add(reader.read(row)));
        return rows;
    }

    public void each(String sql, Database.Binder binder, RowConsumer consumer) throws SQLException {
        try (PreparedStatement statement = prepare(sql)) {
            binder.bind(new Parameters(connection, statement));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    consumer.accept(row);
                }
            }
        }
    }

    public interface RowConsumer {
        void accept(ResultSet row) throws SQLException;
    }

    /** Returns the row of a statement that returns one row. */
    public <T> T row(String sql, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        return rows(sql, binder, reader).getFirst();
    }

    /** Returns the row of a statement that returns one row or none. */
    public <T> Optional<T> find(String sql, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        return rows(sql, binder, reader).stream().findFirst();
    }

    /** Returns the number of rows that the statement changed. */
    public int update(String sql, Database.Binder binder) throws SQLException {
        try (PreparedStatement statement = prepare(sql)) {
            binder.bind(new Parameters(connection, statement));
            return statement.executeUpdate();
        }
    }

    PreparedStatement prepare(String sql) throws SQLException {
        String named = names.apply(sql);
        PreparedStatement statement = plans == null ? plannedAnew(connection, named) : plans.prepare(connection, named);
        if (timeLimitSeconds > 0) {
            statement.setQueryTimeout(timeLimitSeconds);
        }
        return statement;
    }

    /** Runs statements without parameters and results. */
    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the row of a statement without parameters that returns one row. */
    public static <T> T answer(Connection connection, String sql, Database.RowReader<T> reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return reader.read(row);
        }
    }

    /**
     * Prepares a statement that is planned for each execution: a plan cached while the table was small is a thousand
     * times slower later.
     */
    public static PreparedStatement plannedAnew(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
        return statement;
    }
}
