package dev.spream.api.spi;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/**
 * A non-retryable failure of a sink: the change is rejected permanently. The configured policy does not retry it and
 * applies {@code on-failure}. This holds only if the exception is thrown itself, not as the cause of another one. The
 * message must not contain the content of the change.
 */
public class NonRetryableException extends SpreamException {
    private static final long serialVersionUID = 1L;

    public NonRetryableException(String message) {
        super(message);
    }

    public NonRetryableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
