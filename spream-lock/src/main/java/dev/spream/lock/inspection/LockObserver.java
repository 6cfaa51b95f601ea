package dev.spream.lock.inspection;

import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockStoreException;

/**
 * Reads the locks of a database for operators: holders, waiters, and the session that each waiter waits for. It takes
 * no lock of its own and changes nothing.
 *
 * <p>Safe for use by many threads.
 */
public interface LockObserver {

    /**
     * Returns the current locks and sessions. Sessions may change during the call, so a wait may name a session that
     * has ended since.
     *
     * @throws LockConnectionException if no connection is available
     * @throws LockStoreException if this user lacks permission; the message states what to grant
     */
    LockObservation observe();
}
