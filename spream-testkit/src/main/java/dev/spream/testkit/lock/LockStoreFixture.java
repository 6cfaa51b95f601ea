package dev.spream.testkit.lock;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockStore;
import java.util.Set;

/**
 * A lock store under test: one fresh namespace of locks, created for one test and closed after it. Safe for use by many
 * threads.
 *
 * @param <T> a transaction of the store
 */
public interface LockStoreFixture<T> extends AutoCloseable {

    /**
     * Opens another store over the namespace of this fixture, as in another process. The first call provisions the
     * namespace with the given space, which must be the same in every call of one fixture. The fixture closes stores
     * that are still open.
     *
     * @param handles how many transactions the store can {@linkplain LockStore#begin begin} at a time, up to 16
     */
    LockStore<T> open(BucketSpace space, int handles);

    /** Opens a store with 16 handles. */
    default LockStore<T> open(BucketSpace space) {
        return open(space, 16);
    }

    /** Begins a transaction as an application would, on a connection that is not from the pool of handles. */
    T beginOwn();

    /** Commits a transaction of {@link #beginOwn}; the caller still calls {@link #endOwn}. */
    void commitOwn(T transaction);

    /**
     * Rolls back uncommitted writes of a transaction of {@link #beginOwn} and returns its connection; harmless if the
     * connection is broken.
     */
    void endOwn(T transaction);

    /**
     * Returns the sessions that block the given one now, as reported by the database, by a statement of the fixture's
     * own on another connection; empty if the session does not wait.
     *
     * @param session as in {@link AcquiredLocks#session}
     */
    Set<String> blockersOf(String session);

    /** Breaks the connection of a session from outside, and returns when the database has ended its transaction. */
    void kill(String session);

    /** Closes all stores and deletes their data. */
    @Override
    void close();
}
