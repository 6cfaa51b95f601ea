package dev.spream.api.spi;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/**
 * A non-retryable failure of a sink: the change is refused permanently. The configured policy does not retry and applies
 * {@code on-failure}, if this exception is thrown itself and not as a cause of another one. The message must contain nothing
 * of the change's content.
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
