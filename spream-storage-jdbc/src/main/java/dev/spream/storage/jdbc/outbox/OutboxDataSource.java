package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A data source whose connections have the messages of a transaction sent once it commits, for programs in which a
 * library such as jOOQ begins and commits transactions:
 *
 * <pre>{@code
 * DataSource dataSource = OutboxDataSource.over(pool);
 * DSL.using(dataSource, SQLDialect.POSTGRES).transaction(transaction ->
 *         transaction.dsl().connection(connection -> outbox.enqueue(connection, message)));
 * }</pre>
 *
 * <p>{@link JdbcOutbox#enqueue} on such a connection, or on one that wraps it, enqueues as {@link JdbcOutbox#begin}
 * does; {@code commit} on the connection then takes the place of {@code committed}. It
 * fails, and rolls back, if it would commit nothing: after an error that the program ignored, or the SQL statement {@code
 * ROLLBACK}. A transaction that ends by the SQL statement {@code COMMIT} is not noticed: its messages are sent at the next
 * commit, or when the connection is closed.
 *
 * <p>Safe for use by many threads. Closing connections returns them to the data source behind it, which the caller
 * owns.
 */
public final class OutboxDataSource implements DataSource {
    private final DataSource target;

    private OutboxDataSource(DataSource target) {
        this.target = target;
    }

    /** Returns a data source with the connections of another, such as a pool. */
    public static OutboxDataSource over(DataSource dataSource) {
        return new OutboxDataSource(requireNonNull(dataSource, "dataSource"));
    }

    @Override
    public Connection getConnection() throws SQLException {
        return OutboxConnection.of(target.getConnection());
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        return OutboxConnection.of(target.getConnection(user, password));
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return target.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return type.isInstance(this)
                ? type.cast(this)
                : type.isInstance(target) ? type.cast(target) : target.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return type.isInstance(this) || type.isInstance(target) || target.isWrapperFor(type);
    }
}
