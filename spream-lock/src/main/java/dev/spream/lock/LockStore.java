package dev.spream.lock;

import java.time.Duration;
import java.util.List;

/**
 * Takes locks in transactions of a database. It handles keys and modes in the given order; targets, owners and plans
 * are handled by {@link HierarchicalLocks}.
 *
 * <p>Locks belong to a transaction and are free when it ends, however it ends. Nothing is written to take one.
 *
 * <p>Safe for use by many threads; a transaction is used by one thread at a time. It throws {@link LockException}s.
 * After one, the transaction may hold some of the locks and cannot be used: the caller rolls it back.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface LockStore<T> extends AutoCloseable {

    /** Returns the bucket space; recorded in the database and the same in every process that uses it. */
    BucketSpace space();

    Class<T> transactionType();

    /**
     * Begins a transaction for a handle, on a connection from a pool that is kept for handles. In it every statement
     * sees what was committed before that statement. The database ends it when this process stalls for {@link
     * #holderTimeout}.
     *
     * @throws LockTimeoutException if all connections are in use until the deadline
     * @throws LockConnectionException if no connection is available
     */
    T begin(LockDeadline deadline) throws InterruptedException;

    /**
     * Returns the turns of calls that wait for locks in transactions of {@link #begin}, which share its connections;
     * always the same object. The store reports each {@linkplain LockTurns#shortage shortage} of connections to it.
     */
    LockTurns turns();

    /**
     * Takes locks in order, up to the first that another owner holds, without waiting.
     *
     * @param locks in the order of their keys; none that the transaction holds in another mode
     * @return the number of locks taken, from the first on, and their session
     * @throws BucketSpaceException if a bucket is missing, or the transaction is of a server or an isolation level on
     *     which the locks are ineffective: a replica, or a transaction that still reads its old snapshot after a wait
     */
    AcquiredLocks tryLock(T transaction, List<PlannedLock> locks);

    /**
     * Takes all the locks, one after the other, and waits for each as long as the deadline leaves.
     *
     * @throws LockTimeoutException if the deadline is over, or the server's own limit of a wait
     * @throws LockDeadlockException if the database chose this transaction to break a deadlock
     * @throws InterruptedException if the thread was interrupted; the wait in the database has ended
     */
    void lock(T transaction, List<PlannedLock> locks, LockDeadline deadline) throws InterruptedException;

    /**
     * Returns whether the transaction is still open, according to the database: then it holds every lock that it took.
     */
    boolean isAlive(T transaction);

    /**
     * Prepares a transaction of {@link #begin} that holds its locks for its use by work: it gets the limits that the
     * pool and the server have set, the work can neither commit it nor roll it back completely, and {@link #commit}
     * detects if a statement of the work did.
     */
    void lend(T transaction);

    /**
     * Commits.
     *
     * @throws LockConnectionException if the connection broke; whether the transaction was committed is not known
     * @throws LockLostException if the transaction was lent, and has been ended meanwhile; later changes are not
     *     committed
     */
    void commit(T transaction);

    /**
     * Returns whether a transaction in which locks were taken still runs. The question leaves it as it is, its savepoints
     * included; its connection may by now run another transaction. False if the store cannot determine it.
     *
     * @param transaction on which it ran
     * @param mark the {@link AcquiredLocks#transaction} of the locks; not of a transaction that {@link #begin} began
     */
    boolean isCurrent(T transaction, String mark);

    /**
     * Returns the connection of a caller's transaction: the key by which its locks are remembered, so that their number
     * is limited by that of connections. The transaction itself if it has no other. Compared by {@code equals}; does
     * not call the database.
     */
    Object connectionOf(T transaction);

    /**
     * Rolls back the transaction completely. A broken one is left to the server, which rolls it back. If it is a
     * caller's, or was lent to work, later statements on it fail, or at least change nothing, until the caller ends it
     * as well: so the rest of the work cannot be committed by ignoring the failure. Never throws.
     */
    void rollback(T transaction);

    /** Ends a transaction of {@link #begin}: rolls back uncommitted changes and returns the connection. */
    void end(T transaction);

    /**
     * Returns whether the failure of work in a transaction means that the database rolled the transaction back, to end
     * a deadlock or because it could not be serialized: then it may succeed when it is run again from its beginning.
     */
    boolean isDeadlock(Exception failure);

    /**
     * Returns the next fencing epoch: greater than every epoch issued before, in any process, crashes included. If
     * requested while locks are held, it is greater than those of their earlier holders.
     */
    long nextEpoch();

    /**
     * Returns the time that a holder may be unresponsive before the database releases its locks; handles are checked
     * well within it.
     */
    Duration holderTimeout();

    /** Replaces the report of this process on what it holds and waits for; for inspection only, never for locking. */
    void report(LockReport report);

    /** Closes the resources that this opened. Open handles lose their locks. Closing again is harmless. */
    @Override
    void close();
}
