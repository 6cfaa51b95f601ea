package dev.spream.testkit.lock;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockStore;
import java.util.Set;

/**
 * The fixture by which {@link LockStoreContract} knows a store. It stands for one fresh namespace of locks; it is made
 * for one test and closed after it. Safe for use by many threads.
 *
 * @param <T> a transaction of the store
 */
public interface LockStoreFixture<T> extends AutoCloseable {

    /**
     * Another store over the namespace of this fixture, as another process would have it. The first call provisions the
     * namespace with that space; every call of one fixture asks for the same. The fixture closes what is still open.
     *
     * @param handles how many transactions it can {@linkplain LockStore#begin begin} at a time, up to 16
     */
    LockStore<T> open(BucketSpace space, int handles);

    /** The same with 16 handles. */
    default LockStore<T> open(BucketSpace space) {
        return open(space, 16);
    }

    /** A transaction as a program would begin one of its own, on a connection that is not from the pool of handles. */
    T beginOwn();

    /** Commits one of {@link #beginOwn}, which is still to be ended. */
    void commitOwn(T transaction);

    /** Rolls back what was not committed of one of {@link #beginOwn} and gives its connection back; harmless if it broke. */
    void endOwn(T transaction);

    /**
     * The sessions that keep that session waiting now, as the database itself says, by a statement of the fixture's own on
     * another connection; empty if it does not wait.
     *
     * @param session as in {@link AcquiredLocks#session}
     */
    Set<String> blockersOf(String session);

    /** Breaks the connection of a session from outside, and returns when the database has ended its transaction. */
    void kill(String session);

    /** Closes all stores and removes what they left. */
    @Override
    void close();
}
