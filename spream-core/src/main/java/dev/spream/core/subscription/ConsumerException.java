package dev.spream.core.subscription;

import dev.spream.core.SpreamException;

/** A consumer, its {@code flush}, an error handler or a dead letter sink failed, and the subscription stops. */
public final class ConsumerException extends SpreamException {
    private static final long serialVersionUID = 1L;

    public ConsumerException(String message, Throwable cause) {
        super(message, cause);
    }
}
