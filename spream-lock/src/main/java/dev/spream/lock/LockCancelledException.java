package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** The statement was cancelled from outside, such as by an administrator. */
public final class LockCancelledException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockCancelledException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
