package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** Another owner holds one of the locks, and the call does not wait. */
public final class LockBusyException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockBusyException(String message, @Nullable Throwable cause) {
        super(message, true, cause);
    }
}
