package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxTransaction;
import dev.spream.storage.jdbc.internal.GuardedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A transaction of {@link JdbcOutbox#transact}, on a connection that is returned in its former state. */
record OwnTransaction(JdbcOutbox outbox, DataSource dataSource) {
    private static final GuardedConnection.Work WORK = new GuardedConnection.Work(
            "the work of an outbox transaction",
            "the transaction is ended when the work returns or throws, and the connection is reused: change settings for"
                    + " the transaction alone",
            true,
            IllegalStateException::new);

    <R, E extends Exception> R run(OutboxWork<R, E> work) throws SQLException, E {
        try (Connection connection = OutboxConnection.of(dataSource.getConnection())) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            R result;
            try {
                result = guarded(connection, work);
                connection.commit();
            } catch (Throwable e) {
                rollBack(connection, autoCommit, e);
                throw e;
            }
            connection.setAutoCommit(autoCommit);
            return result;
        }
    }

    private <R, E extends Exception> R guarded(Connection connection, OutboxWork<R, E> work) throws SQLException, E {
        GuardedConnection guard = new GuardedConnection(connection, WORK);
        OutboxTransaction messages =
                OutboxConnection.messages(connection, outbox).orElseThrow();
        try {
            return work.run(guard.view(), new WorkMessages(messages));
        } finally {
            guard.end();
        }
    }

    private static void rollBack(Connection connection, boolean autoCommit, Throwable cause) {
        try {
            if (!connection.isClosed()) {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }
}
