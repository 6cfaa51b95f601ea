package dev.spream.core.subscription;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/** A subscription could not start, or had to stop; its message states why, and what is stored. */
public final class SubscriptionException extends SpreamException {
    private static final long serialVersionUID = 1L;

    public SubscriptionException(String message) {
        super(message);
    }

    public SubscriptionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
