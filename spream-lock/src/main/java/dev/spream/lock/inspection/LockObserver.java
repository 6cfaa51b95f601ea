package dev.spream.lock.inspection;

import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockStoreException;

/**
 * Looks at the locks of a database, for people who ask why something stands still: who holds what, who waits, and for whom.
 * It takes no lock of its own and changes nothing.
 *
 * <p>Safe for use by many threads.
 */
public interface LockObserver {

    /**
     * What the database shows now. Sessions come and go while it looks, so a wait may name a session that has ended since.
     *
     * @throws LockConnectionException if there is no connection to be had
     * @throws LockStoreException if this user may not look; the message says what to grant
     */
    LockObservation observe();
}
