package dev.spream.storage.jdbc.lock.dialect;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockLostException;
import dev.spream.lock.PlannedLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The statements by which a strategy takes locks in one kind of database. Its {@link SQLException}s are mapped to
 * {@link LockException}s by {@link #exception}. Has no state; safe for use by many threads.
 */
public interface LockSql {

    /**
     * Returns the exception to throw for an error of this kind of database, by its code, since drivers use different
     * classes.
     *
     * @param failed what failed, such as "waiting for lock 0:17 shared, the 2nd of 3"
     */
    LockException exception(String failed, SQLException cause);

    /**
     * Rejects a server whose locks do not exclude clients of other servers, before the first lock is taken; {@link
     * #tryLock} does as well.
     *
     * @throws BucketSpaceException if the server is such a one
     */
    default void requirePrimary(Connection connection) throws SQLException {}

    /**
     * Prepares a connection for transactions of a handle, and leaves auto-commit off; it is in no transaction. Settings
     * that can be made in {@link #tryInHandle} should be made there, which saves a round trip.
     */
    default void begin(Connection connection, Duration holderTimeout) throws SQLException {
        connection.setAutoCommit(false);
    }

    /**
     * Runs {@link #tryLock} for a handle, as the first statement of its transaction, and prepares the transaction: it
     * is READ COMMITTED, only the requested limits end a wait, and the database ends the transaction when the process
     * is suspended for longer than {@code holderTimeout}. These settings end with the transaction, or by {@link
     * #restore}.
     */
    default AcquiredLocks tryInHandle(Connection connection, List<PlannedLock> locks, Duration holderTimeout)
            throws SQLException {
        return tryLock(connection, locks);
    }

    /**
     * Reverts the settings that were made for a handle and did not end with its transaction, which has ended.
     *
     * @param autoCommit the former auto-commit mode
     */
    default void restore(Connection connection, boolean autoCommit) throws SQLException {
        connection.setAutoCommit(autoCommit);
    }

    /**
     * Takes locks from the first on, and stops at the first that is not available at once. Never waits.
     *
     * @param locks the locks to take, at least one
     * @throws BucketSpaceException if locks in this transaction would have no effect, or the bucket of the next lock is
     *     missing
     */
    AcquiredLocks tryLock(Connection connection, List<PlannedLock> locks) throws SQLException;

    /**
     * Waits for the first of the locks, and then may take some of the following that are available at once. Runs on a
     * thread that is never interrupted; {@code waiting} runs every statement that may wait.
     *
     * @param locks the locks to take, at least one
     * @param left the time limit, more than zero, rounded up to the database's precision; empty for none
     * @return the number of locks that were taken, 1 or more
     * @throws BucketSpaceException if the bucket is missing
     */
    int lock(Connection connection, List<PlannedLock> locks, Optional<Duration> left, Waiting waiting)
            throws SQLException;

    /** Runs statements that wait and that another thread can cancel. */
    interface Waiting {
        /**
         * Runs a statement; after a cancellation it is not executed.
         *
         * @throws SQLException if the statement failed or was cancelled
         */
        <T> T run(Statement statement, Execution<T> execution) throws SQLException;
    }

    interface Execution<T> {
        T run() throws SQLException;
    }

    /** Returns whether the transaction is still open, by a statement that fails or returns false if it is not. */
    boolean isAlive(Connection connection) throws SQLException;

    /**
     * Names the running transaction of a caller, without changing it or its savepoints.
     *
     * @param taken the result of {@link #tryLock} in it
     * @return a name that is unique among the transactions of the connection
     */
    default String name(Connection connection, AcquiredLocks taken) throws SQLException {
        return taken.transaction();
    }

    /** Returns whether the running transaction has that name; false in doubt. Does not change the transaction. */
    boolean isNamed(Connection connection, String name) throws SQLException;

    /**
     * Marks a handle's transaction, for {@link #commitMarked}.
     *
     * @param taken the result of {@link #tryLock} in it
     * @return the mark, which is unique among the transactions of the connection
     */
    String mark(Connection connection, AcquiredLocks taken) throws SQLException;

    /**
     * Begins a transaction that cannot commit changes, on a connection whose transaction was rolled back; its next user
     * ends it.
     *
     * @throws SQLException if that failed
     */
    void refuseChanges(Connection connection) throws SQLException;

    /**
     * Commits the transaction that was marked.
     *
     * @throws LockLostException if it has ended before; nothing is committed
     */
    void commitMarked(Connection connection, String mark) throws SQLException;

    /** Returns the exception of {@link #commitMarked}. */
    static LockLostException ended() {
        return new LockLostException(
                "the work has ended the transaction that held its locks, by a statement such as COMMIT, or by an error that it ignored. Its changes before that statement are committed or rolled back by that statement; its later changes were made without the locks and are rolled back. Remove the statement from the work, and rethrow the database's exceptions",
                null);
    }

    /** Increments the epoch, in auto-commit mode, so that it is committed when this returns. */
    long nextEpoch(Connection connection) throws SQLException;
}
