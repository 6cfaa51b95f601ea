package dev.spream.core;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a store. Unless a method states otherwise, nothing was changed, or the change was made and only its
 * confirmation was lost; every operation may be repeated.
 */
public class StorageException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private final boolean retryable;

    public StorageException(String message, boolean retryable, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
    }

    /** Returns whether the same call may succeed later: the connection broke, the server was busy. */
    public boolean retryable() {
        return retryable;
    }
}
