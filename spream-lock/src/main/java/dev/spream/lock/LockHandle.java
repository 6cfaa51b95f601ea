package dev.spream.lock;

/**
 * Locks held on a connection of their own, until the handle is closed, or the connection is lost. The work that they
 * guard is elsewhere, so nothing undoes it when the locks are lost: pass it {@link #epoch()}, and have every store
 * that it writes to refuse an epoch lower than the highest it has seen.
 *
 * <p>Calls exclude each other, so a handle may be given to another thread; {@link #isHeld} and {@link #close} wait while
 * another call waits for locks. The thread that acquired a handle is taken to be the one that will close it: if that thread
 * waits {@linkplain LockWait#FOREVER for ever} for what the handle holds, it is refused with a {@link LockOrderException},
 * so where another thread is to close it, wait with a deadline.
 */
public sealed interface LockHandle extends LockScope, AutoCloseable permits OpenHandle {
    /** Returns all targets locked by this handle. */
    LockRequest held();

    /**
     * Returns the fencing token: greater than that of every earlier holder of these locks. The first call queries the
     * database, and later ones return the same.
     *
     * @throws LockLostException if the locks are no longer held
     */
    long epoch();

    /** Returns whether the locks are held, according to the database. They may be lost right after the response. */
    boolean isHeld();

    /**
     * Checks that the locks are held.
     *
     * @throws LockLostException if the locks are no longer held
     */
    void requireHeld();

    /**
     * Releases the locks. Closing again is harmless.
     *
     * @throws LockLostException if the locks had been lost before; the handle is closed nevertheless
     */
    @Override
    void close();
}
