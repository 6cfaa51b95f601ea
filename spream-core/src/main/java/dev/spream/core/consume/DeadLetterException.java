package dev.spream.core.consume;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/** Dead letters could not be stored, read or replayed. */
public final class DeadLetterException extends SpreamException {
    private static final long serialVersionUID = 1L;

    public DeadLetterException(String message) {
        super(message);
    }

    public DeadLetterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
