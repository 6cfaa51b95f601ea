package dev.spream.lock;

/**
 * The locks of one owner: a transaction of the caller's, or a {@link LockHandle}. More locks can be acquired, as long
 * as the locking order is kept. Locks that a handle already has cost nothing, nor do those that {@link
 * HierarchicalLocks#transact} took before the work; locks taken later in a transaction are taken again, as a rollback
 * to a savepoint may have freed them. Used by one thread at a time.
 */
public interface LockScope {

    /** Acquires the locks, waiting for them; returns at once if they are held already. */
    void acquire(LockRequest request) throws InterruptedException;

    /**
     * Acquires the locks, waiting no longer than that.
     *
     * @throws LockOrderException if a lock comes before one that is held already, or is held shared and requested
     *     exclusive; nothing was changed
     * @throws LockException if the locks could not be taken; the transaction was rolled back, and nothing is held any more
     */
    void acquire(LockRequest request, LockWait wait) throws InterruptedException;
}
