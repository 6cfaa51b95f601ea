package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * The owner already holds locks that come after these, or holds one of them shared and wants it exclusive. Two that did so
 * would wait for each other for ever, so it is not tried. Nothing was changed: what was held is held.
 */
public final class LockOrderException extends LockException {
    private static final long serialVersionUID = 1L;

    public LockOrderException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
