package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** Somebody cancelled the statement from outside, such as an administrator. */
public final class LockCancelledException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockCancelledException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
