package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** The connection broke, or none was available; the locks it held are free. */
public final class LockConnectionException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockConnectionException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}
