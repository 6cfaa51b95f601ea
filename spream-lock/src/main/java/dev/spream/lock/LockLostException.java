package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * A handle no longer holds its locks, because its connection was lost: another holder may have them already. Work done
 * since the handle was last known to hold them may have overlapped with theirs.
 */
public final class LockLostException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockLostException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
