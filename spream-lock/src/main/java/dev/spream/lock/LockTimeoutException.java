package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** The call's time for its locks is over, or the database's own limit of a wait was reached. */
public final class LockTimeoutException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockTimeoutException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}
