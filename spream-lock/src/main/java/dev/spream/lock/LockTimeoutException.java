package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** The time that the call had for its locks is over, or the database's own limit of a wait. */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockTimeoutException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}
