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
 * The statements by which a strategy takes locks in one kind of database. What it throws as {@link SQLException} becomes
 * a {@link LockException} by {@link #exception}. Has no state; safe for use by many threads.
 */
public interface LockSql {

    /**
     * The exception to throw for an error of this kind of database, by its code: drivers disagree on classes.
     *
     * @param failed what failed, such as "waiting for lock 0:17 shared, the 2nd of 3"
     */
    LockException exception(String failed, SQLException cause);

    /**
     * Refuses a server on which locks do not exclude other servers' clients, before the first is taken;
     * {@link #tryLock} does as well.
     *
     * @throws BucketSpaceException if it is one
     */
    default void requirePrimary(Connection connection) throws SQLException {}

    /**
     * Prepares a connection for transactions of a handle, and leaves auto-commit off; it is in no transaction. What can be part
     * of {@link #tryInHandle} is better there, without a round trip of its own.
     */
    default void begin(Connection connection, Duration holderTimeout) throws SQLException {
        connection.setAutoCommit(false);
    }

    /**
     * The {@link #tryLock} of a handle, always the first statement of its transaction, which it also prepares: every
     * statement sees what was committed before it, only the limits that are asked for end a wait, and the database ends
     * the transaction when the process is suspended for longer than that. All of it ends with the transaction, or by
     * {@link #restore}.
     */
    default AcquiredLocks tryInHandle(Connection connection, List<PlannedLock> locks, Duration holderTimeout)
            throws SQLException {
        return tryLock(connection, locks);
    }

    /**
     * Reverts the settings that were made for a handle and did not end with its transaction, which has ended.
     *
     * @param autoCommit what auto-commit was before
     */
    default void restore(Connection connection, boolean autoCommit) throws SQLException {
        connection.setAutoCommit(autoCommit);
    }

    /**
     * Takes locks from the first on, and stops at the first that is not available at once. Never waits.
     *
     * @param locks at least one
     * @throws BucketSpaceException if locks in this transaction would have no effect, or the bucket at which it stops
     *     is missing
     */
    AcquiredLocks tryLock(Connection connection, List<PlannedLock> locks) throws SQLException;

    /**
     * Waits for the first of the locks, and then may take some of the following, as long as it needs not wait for them.
     * Runs on a thread that is never interrupted; every statement that may wait is run by {@code waiting}.
     *
     * @param locks at least one
     * @param left more than zero; rounded up to what the database can express. Empty if there is no end
     * @return how many locks were taken, 1 or more
     * @throws BucketSpaceException if the bucket is missing
     */
    int lock(Connection connection, List<PlannedLock> locks, Optional<Duration> left, Waiting waiting)
            throws SQLException;

    /** Runs statements that wait, and that a cancellation by another thread ends. */
    interface Waiting {
        /**
         * Runs a statement; one after a cancellation is not run at all.
         *
         * @throws SQLException as from a statement that was cancelled, too
         */
        <T> T run(Statement statement, Execution<T> execution) throws SQLException;
    }

    interface Execution<T> {
        T run() throws SQLException;
    }

    /** Returns whether the transaction still is one, by a statement that fails or says so if it is not. */
    boolean isAlive(Connection connection) throws SQLException;

    /**
     * Names the running transaction of a caller, which is left as it is, its savepoints included.
     *
     * @param taken what {@link #tryLock} has found in it
     * @return a name that no other transaction of the connection has
     */
    default String name(Connection connection, AcquiredLocks taken) throws SQLException {
        return taken.transaction();
    }

    /** Returns whether the running transaction has that name; if in doubt it has not. It is left as it is. */
    boolean isNamed(Connection connection, String name) throws SQLException;

    /**
     * Marks a handle's transaction, for {@link #commitMarked}.
     *
     * @param taken what {@link #tryLock} has found in it
     * @return the mark, which no other transaction of the connection has
     */
    String mark(Connection connection, AcquiredLocks taken) throws SQLException;

    /**
     * Leaves a connection, whose transaction was rolled back, in another one that can commit no change; its next user
     * ends that one.
     *
     * @throws SQLException if it could not be left so
     */
    void refuseChanges(Connection connection) throws SQLException;

    /**
     * Commits the transaction that was marked.
     *
     * @throws LockLostException if it has been ended; nothing is committed
     */
    void commitMarked(Connection connection, String mark) throws SQLException;

    /** The exception of {@link #commitMarked}. */
    static LockLostException ended() {
        return new LockLostException(
                "the work has ended the transaction that held its locks, by a statement such as COMMIT, or by an error that it passed over; its changes before that statement are as the statement left them, its changes since were made without the locks and are rolled back. Remove the statement from the work, and rethrow the database's exceptions",
                null);
    }

    /** Increments the epoch, in auto-commit mode, so that it is committed when this returns. */
    long nextEpoch(Connection connection) throws SQLException;
}
