package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * The connection broke, or none was available. The locks that it held are free as soon as the server detects the broken
 * connection.
 */
public final class LockConnectionException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockConnectionException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}
