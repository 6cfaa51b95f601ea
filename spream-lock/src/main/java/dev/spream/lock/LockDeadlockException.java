package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * The database broke a deadlock, or a conflict of transactions, by rolling this one back. Locks that all come from one plan
 * do not deadlock; a transaction that also locks rows of its own may.
 */
public final class LockDeadlockException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockDeadlockException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}
