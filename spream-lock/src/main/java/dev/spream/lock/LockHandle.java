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
public final class LockHandle implements LockScope, AutoCloseable {
    private final OpenHandle<?> open;

    LockHandle(OpenHandle<?> open) {
        this.open = open;
    }

    /** All that was taken by this handle. */
    public LockRequest held() {
        return open.held();
    }

    @Override
    public void acquire(LockRequest request) throws InterruptedException {
        open.acquire(request);
    }

    @Override
    public void acquire(LockRequest request, LockWait wait) throws InterruptedException {
        open.acquire(request, wait);
    }

    /**
     * A fencing token: greater than that of everybody who held these locks before. The first call asks the database, and
     * later ones return the same.
     *
     * @throws LockLostException if the locks are not held any more
     */
    public long epoch() {
        return open.epoch();
    }

    /** Asks the database. That it was so says nothing of the moment after. */
    public boolean isHeld() {
        return open.isHeld();
    }

    /**
     * The same for those who cannot go on without.
     *
     * @throws LockLostException if the locks are not held any more
     */
    public void requireHeld() {
        open.requireHeld();
    }

    /**
     * Releases the locks. Closing again is harmless.
     *
     * @throws LockLostException if the locks had been lost before; the handle is closed all the same
     */
    @Override
    public void close() {
        open.close();
    }

    @Override
    public String toString() {
        return "LockHandle[" + open + "]";
    }
}
