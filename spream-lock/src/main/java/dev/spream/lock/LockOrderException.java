package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * The owner already holds locks that come after these, or holds one of them shared and requests it exclusive. Two
 * owners that did so could deadlock, so the call is refused. Nothing was changed: the owner's locks are still held.
 */
public final class LockOrderException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockOrderException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
