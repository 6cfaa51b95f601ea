package dev.spream.storage.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Runs work in transactions, each on a connection of its own that is returned in its former state. A server that does
 * not answer within the time limit plus {@link #ANSWER_TIME} counts as dead.
 *
 * <p>Safe for use by many threads.
 */
public record Transactions(DataSource dataSource, Duration timeLimit) {
    /** The time that a server has to report a cancelled statement, before the connection counts as dead. */
    static final Duration ANSWER_TIME = Duration.ofSeconds(2);

    /**
     * Returns the beginning of the first statement of a transaction. It sets READ COMMITTED, whatever the server's
     * default. The server cancels a statement that exceeds the limit, and ends the session of a process that is
     * suspended for that long between two statements, whose locks would block others.
     */
    public String begin() {
        return """
            SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
            SET LOCAL statement_timeout = %1$d;
            SET LOCAL idle_in_transaction_session_timeout = %1$d;
            """.formatted(timeLimit.toMillis());
    }

    /**
     * Runs the work, then commits; rolls back if the work throws, after an error of the JVM by aborting the connection.
     */
    public <T, E extends Exception> T run(Work<T, E> work) throws SQLException, E {
        return run(work, connection -> {});
    }

    /** Runs the work as {@link #run(Work)}, and then restores what it has changed in the session, unless that is broken. */
    public <T, E extends Exception> T run(Work<T, E> work, Restoration restoration) throws SQLException, E {
        try (Open transaction = open()) {
            transaction.restoration = restoration;
            try {
                T result = work.run(transaction.connection());
                transaction.commit();
                return result;
            } catch (VirtualMachineError e) {
                abort(transaction.connection, e);
                throw e;
            }
        }
    }

    /** Closes the connection after an error that may have interrupted an exchange with the server. */
    static void abort(Connection connection, VirtualMachineError cause) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /** Work in one transaction. */
    public interface Work<T, E extends Exception> {
        T run(Connection connection) throws SQLException, E;
    }

    /** Restores the settings of a session after its transaction. */
    public interface Restoration {
        void restore(Connection connection) throws SQLException;
    }

    /** Begins a transaction that the caller ends. */
    public Open open() throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            Open opened = new Open(connection, connection.getNetworkTimeout(), connection.getAutoCommit());
            connection.setNetworkTimeout(
                    Runnable::run, Math.toIntExact(timeLimit.plus(ANSWER_TIME).toMillis()));
            connection.setAutoCommit(false);
            return opened;
        } catch (Throwable e) {
            try (connection) {
                throw e;
            }
        }
    }

    /** An open transaction, which is rolled back by closing it unless it was committed. Confined to one thread at a time. */
    public static final class Open implements AutoCloseable {
        private final Connection connection;
        private final int networkTimeout;
        private final boolean autoCommit;
        private Restoration restoration = connection -> {};
        private boolean committed;

        private Open(Connection connection, int networkTimeout, boolean autoCommit) {
            this.connection = connection;
            this.networkTimeout = networkTimeout;
            this.autoCommit = autoCommit;
        }

        public Connection connection() {
            return connection;
        }

        public void commit() throws SQLException {
            connection.commit();
            committed = true;
        }

        /** Returns the connection to its pool. */
        @Override
        public void close() throws SQLException {
            try (connection) {
                if (!connection.isClosed()) {
                    if (!committed) {
                        connection.rollback();
                    }
                    restoration.restore(connection);
                    connection.setAutoCommit(autoCommit);
                    connection.setNetworkTimeout(Runnable::run, networkTimeout);
                }
            }
        }
    }
}
