package dev.spream.lock;

/**
 * Locks held on a connection of their own, until the handle is closed, or the connection is lost. The work that they guard is
 * elsewhere, so nothing undoes it when the locks are lost: give it {@link #epoch()}, and let whatever it writes to refuse an
 * epoch that is less than one it has seen.
 *
 * <p>Calls exclude each other, so a handle may be given to another thread; {@link #isHeld} and {@link #close} wait while
 * another call waits for locks. The thread that acquired a handle is taken to be the one that will close it: if that thread
 * waits {@linkplain LockWait#FOREVER for ever} for what the handle holds, it is refused with a {@link LockOrderException},
 * so where another thread is to close it, wait with a deadline.
 */
public sealed interface LockHandle extends LockScope, AutoCloseable permits OpenHandle {
    /** All that was taken by this handle. */
    LockRequest held();

    /**
     * A fencing token: greater than that of everybody who held these locks before. The first call asks the database, and
     * later ones return the same.
     *
     * @throws LockLostException if the locks are not held any more
     */
    long epoch();

    /** Asks the database. That it was so says nothing of the moment after. */
    boolean isHeld();

    /**
     * The same for those who cannot go on without.
     *
     * @throws LockLostException if the locks are not held any more
     */
    void requireHeld();

    /**
     * Releases the locks. Closing again is harmless.
     *
     * @throws LockLostException if the locks had been lost before; the handle is closed all the same
     */
    @Override
    void close();
}
