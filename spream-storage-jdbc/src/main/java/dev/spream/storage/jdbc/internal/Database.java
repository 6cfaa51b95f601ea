package dev.spream.storage.jdbc.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs statements, each in a transaction and a round trip of its own, and holds a connection only for that long. A
 * statement fails after its time limit, and a call to a server that does not answer shortly after it.
 *
 * <p>Safe for use by many threads.
 */
public class Database {
    private final DataSource dataSource;
    private final UnaryOperator<String> names;
    private final Duration timeLimit;
    private final @Nullable SessionPlans plans;
    private volatile boolean closed;

    public Database(DataSource dataSource, SchemaName schema, Duration timeLimit) {
        this(dataSource, schema::in, timeLimit);
    }

    /** @param names replaces the placeholders of tables in a statement by their names */
    protected Database(DataSource dataSource, UnaryOperator<String> names, Duration timeLimit) {
        this(dataSource, names, timeLimit, null);
    }

    /** @param plans the plans that sessions keep; null if each execution is planned anew */
    protected Database(
            DataSource dataSource, UnaryOperator<String> names, Duration timeLimit, @Nullable SessionPlans plans) {
        this.dataSource = dataSource;
        this.names = names;
        this.timeLimit = timeLimit;
        this.plans = plans;
    }

    /** Returns the source of connections, which its owner closes. */
    public final DataSource dataSource() {
        return dataSource;
    }

    protected final Duration timeLimit() {
        return timeLimit;
    }

    /** Returns the time after which a server that has not answered counts as dead. */
    private Duration answerTime() {
        return timeLimit.plus(Transactions.ANSWER_TIME);
    }

    /** Returns the runner of work that takes several statements; {@link #close} does not make it fail. */
    public final Transactions transactions() {
        return new Transactions(dataSource, timeLimit);
    }

    /** Returns the statements of a transaction of {@link #transactions}, which sets their time limit. */
    public final Statements statements(Connection connection) {
        return new Statements(connection, names);
    }

    /** Returns the rows of the statement. {@code what} names the call in the message of a failure. */
    public final <T> List<T> rows(String what, String sql, Binder binder, RowReader<T> reader) {
        return run(what, statements -> statements.rows(sql, binder, reader));
    }

    /** Returns the row of a statement that returns one row. */
    public final <T> T row(String what, String sql, Binder binder, RowReader<T> reader) {
        return rows(what, sql, binder, reader).getFirst();
    }

    /** Returns the row of a statement that returns one row or none. */
    public final <T> Optional<T> find(String what, String sql, Binder binder, RowReader<T> reader) {
        return rows(what, sql, binder, reader).stream().findFirst();
    }

    /**
     * Returns the first rows of the statement, up to the first for which {@code enough} is true. The server sends other
     * rows only as part of the same {@code fetch} rows, so that no more than those are in memory besides.
     *
     * @param kept the plans that sessions keep
     * @param fetch the number of rows to fetch next, given those that {@code enough} has seen
     */
    public final <T> List<T> rowsUntil(
            String what,
            SessionPlans kept,
            String sql,
            Binder binder,
            RowReader<T> reader,
            IntSupplier fetch,
            Predicate<? super T> enough) {
        return run(what, statements -> {
            Connection connection = statements.connection();
            connection.setAutoCommit(false); // in auto-commit mode, the driver would fetch all rows at once
            return AnswerLimit.run(connection, answerTime(), limit -> {
                List<T> rows;
                try (PreparedStatement statement = statements.with(kept).prepare(sql)) {
                    binder.bind(new Parameters(connection, statement));
                    rows = rowsUntil(statement, reader, fetch, enough, limit);
                }
                connection.rollback();
                return rows;
            });
        });
    }

    private static <T> List<T> rowsUntil(
            PreparedStatement statement,
            RowReader<T> reader,
            IntSupplier fetch,
            Predicate<? super T> enough,
            AnswerLimit limit)
            throws SQLException {
        statement.setFetchSize(fetch.getAsInt());
        try (ResultSet result = statement.executeQuery()) {
            List<T> rows = new ArrayList<>();
            while (result.next()) {
                limit.answered();
                T row = reader.read(result);
                rows.add(row);
                if (enough.test(row)) {
                    break;
                }
                result.setFetchSize(fetch.getAsInt());
            }
            return rows;
        }
    }

    /** Returns the number of rows that the statement changed. */
    public final int update(String what, String sql, Binder binder) {
        return run(what, statements -> statements.update(sql, binder));
    }

    /** Makes further calls fail. */
    public final void close() {
        closed = true;
    }

    protected final boolean isClosed() {
        return closed;
    }

    private <T> T run(String what, Work<T> work) {
        if (closed) {
            throw SqlErrors.permanent(what + " failed: the storage is closed; open another");
        }
        try (Connection connection = dataSource.getConnection()) {
            return inAutoCommit(connection, work);
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    private <T> T inAutoCommit(Connection connection, Work<T> work) throws SQLException {
        int networkTimeout = connection.getNetworkTimeout();
        limitAnswers(connection);
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(true);
        T result;
        try {
            result = work.run(new Statements(connection, names, Math.toIntExact(timeLimit.toSeconds()), plans));
        } catch (VirtualMachineError e) {
            Transactions.abort(connection, e);
            throw e;
        } catch (Throwable e) {
            restoreAfter(e, connection, autoCommit, networkTimeout);
            throw e;
        }
        restore(connection, autoCommit, networkTimeout);
        return result;
    }

    private void limitAnswers(Connection connection) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(answerTime().toMillis()));
    }

    private static void restore(Connection connection, boolean autoCommit, int networkTimeout) throws SQLException {
        connection.setAutoCommit(autoCommit);
        connection.setNetworkTimeout(Runnable::run, networkTimeout);
    }

    private void restoreAfter(Throwable failure, Connection connection, boolean autoCommit, int networkTimeout) {
        try {
            if (!connection.isClosed()) {
                if (!connection.getAutoCommit()) {
                    limitAnswers(connection); // which a read of rows has removed
                    connection.rollback();
                }
                restore(connection, autoCommit, networkTimeout);
            }
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    public interface Binder {
        void bind(Parameters parameters) throws SQLException;
    }

    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /** Work by statements of one connection. */
    public interface Work<T> {
        T run(Statements statements) throws SQLException;
    }
}
