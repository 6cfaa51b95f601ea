package dev.spream.lock;

/**
 * The locks of one owner: a transaction of the caller's, or a {@link LockHandle}. It can be asked for more, as long
 * as that keeps the order. Locks that a handle already has cost nothing, nor do those that {@link
 * HierarchicalLocks#transact} took before the work; locks taken later in a transaction are taken again, as a rollback
 * to a savepoint may have freed them. Used by one thread at a time.
 */
public interface LockScope {

    /** Waits until it has the locks, or has them already. */
    void acquire(LockRequest request) throws InterruptedException;

    /**
     * The same, but waits no longer than that.
     *
     * @throws LockOrderException if a lock comes before one that is held already, or is held shared and wanted exclusive;
     *     nothing was changed
     * @throws LockException if the locks could not be taken; the transaction was rolled back
     */
    void acquire(LockRequest request, LockWait wait) throws InterruptedException;
}
