package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** The database refused to lock, for a reason without an exception of its own; the message states what to do. */
public final class LockStoreException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockStoreException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
