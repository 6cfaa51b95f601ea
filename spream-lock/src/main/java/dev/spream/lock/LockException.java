package dev.spream.lock;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/**
 * Locks could not be had, or are no longer held. Unless the kind says otherwise, nothing is held: the transaction was rolled
 * back whole, with all that it had done and every lock of it.
 */
public abstract sealed class LockException extends SpreamException
        permits LockBusyException,
                LockCancelledException,
                LockConnectionException,
                LockDeadlockException,
                LockLostException,
                LockOrderException,
                LockSpaceException,
                LockStoreException,
                LockTimeoutException {
    private static final long serialVersionUID = 1L;

    LockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Whether the same transaction, run again from its beginning, may succeed. */
    public abstract boolean retryable();
}
