package dev.spream.lock;

import java.time.Duration;
import java.util.List;

/**
 * Takes locks in transactions of a database. It knows keys and modes, in the order in which to take them, and nothing of
 * targets, owners or plans; {@link HierarchicalLocks} does.
 *
 * <p>Locks belong to a transaction and are free when it ends, however it ends. Nothing is written to take one.
 *
 * <p>Safe for use by many threads; a transaction is used by one thread at a time. What this throws is a {@link
 * LockException}. After one, the transaction may hold some of the locks and can do nothing more: the caller rolls it back.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface LockStore<T> extends AutoCloseable {

    /** The keys that there are here; recorded in the database and the same in every process that uses it. */
    BucketSpace space();

    Class<T> transactionType();

    /**
     * Begins a transaction for a handle, on a connection from a pool that is kept for handles. In it every statement sees
     * what was committed before that statement. The database ends it when this process stands still for {@link
     * #holderTimeout}.
     *
     * @throws LockTimeoutException if all connections are in use until the deadline
     * @throws LockConnectionException if there is no connection to be had
     */
    T begin(LockDeadline deadline) throws InterruptedException;

    /**
     * The turns of calls that wait for locks in transactions of {@link #begin}, which share its connections; always the same. The
     * store tells it of each {@linkplain LockTurns#shortage shortage} of them.
     */
    LockTurns turns();

    /**
     * Takes locks, from the first on, as far as nobody else is in the way, and never waits for one.
     *
     * @param locks in the order of their keys; none that the transaction holds in another mode
     * @return how many were taken, from the first on, and by whom
     * @throws BucketSpaceException if a bucket is missing, or the transaction is of a server or kind on which the locks would
     *     exclude nobody: a replica, or a transaction that goes on seeing what was there before it waited
     */
    AcquiredLocks tryLock(T transaction, List<PlannedLock> locks);

    /**
     * Takes all the locks, one after the other, and waits for each as long as the deadline leaves.
     *
     * @throws LockTimeoutException if the deadline is over, or the server's own limit of a wait
     * @throws LockDeadlockException if the database chose this transaction to break a deadlock
     * @throws InterruptedException if the thread was interrupted; the database does not wait any more
     */
    void lock(T transaction, List<PlannedLock> locks, LockDeadline deadline) throws InterruptedException;

    /** Whether the transaction still is one, as the database says: then it holds every lock that it took. */
    boolean isAlive(T transaction);

    /**
     * Prepares a transaction that {@link #begin} began, and that holds its locks, to be handed to work: it has the limits that
     * the pool and the server have set, the work can neither commit it nor roll it back whole, and {@link #commit} notices if a
     * statement of the work did.
     */
    void lend(T transaction);

    /**
     * Commits.
     *
     * @throws LockConnectionException if the connection broke; whether the transaction was committed is not known
     * @throws LockLostException if the transaction was lent, and has been ended meanwhile; what came after that is not committed
     */
    void commit(T transaction);

    /**
     * Whether a transaction in which locks were taken still runs. The question leaves it as it is, its savepoints included; what
     * runs on its connection by now may be another. If the store cannot tell, it does not.
     *
     * @param transaction on which it ran
     * @param mark what {@link AcquiredLocks#transaction} was; not of a transaction that {@link #begin} began
     */
    boolean isCurrent(T transaction, String mark);

    /**
     * What a transaction of a caller's runs on, and others after it: the key by which it is remembered, so that no more is
     * kept than there are connections. The transaction itself if there is nothing else. Compared by {@code equals}; asks
     * nothing.
     */
    Object connectionOf(T transaction);

    /**
     * Rolls back whatever the transaction did. One that broke is left to the server, which rolls it back. If it is a caller's, or
     * was lent, what follows on it fails, or at least changes nothing, until it is ended once more by the caller: then its user
     * cannot commit a half by ignoring what failed. Never throws.
     */
    void rollback(T transaction);

    /** Ends what {@link #begin} began: rolls back what was not committed, and gives the connection back. */
    void end(T transaction);

    /**
     * Whether work in a transaction failed with this because the database rolled the transaction back, to end a deadlock or
     * because it could not be serialized: then it may succeed when it is run again from its beginning.
     */
    boolean isDeadlock(Exception failure);

    /**
     * The next fencing epoch: greater than every one that was given out before, in any process, crashes included. Asked for
     * while locks are held, it is greater than that of whoever held them earlier.
     */
    long nextEpoch();

    /** How long a holder may stand still before the database takes its locks away; handles are asked well within it. */
    Duration holderTimeout();

    /** Says what this process holds and waits for, in place of what it said before; for those who look, never for locking. */
    void report(LockReport report);

    /** Closes what this opened. Handles that are open lose their locks. Closing again is harmless. */
    @Override
    void close();
}
