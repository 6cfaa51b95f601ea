package dev.spream.lock;

/**
 * The locks of one owner: a transaction of the caller's, or a {@link LockHandle}. It can be asked for more, as long as that
 * keeps the order. What a handle has already costs nothing, nor what {@link HierarchicalLocks#transact} took before the work;
 * what was taken later in a transaction is taken again, as a rollback to a savepoint may have freed it. Used by one thread at a
 * time.
 */
public interface LockScope {

    /** Waits until it has the locks, or has them already. */
    void acquire(LockRequest request) throws InterruptedException;

    /**
     * The same, but waits no longer than that.
     *
     * @throws LockOrderException if a lock comes before one that is held already, or is held shared and wanted exclusive;
     *     nothing was changed
     * @throws LockException if the locks could not be had; the transaction was rolled back
     */
    void acquire(LockRequest request, LockWait wait) throws InterruptedException;
}
