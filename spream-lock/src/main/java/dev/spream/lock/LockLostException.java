package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * A handle does not hold its locks any more, because its connection was lost: others may hold them already. What was done
 * under them since it was last known to hold may have met what others did.
 */
public final class LockLostException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockLostException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
