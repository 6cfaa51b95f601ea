package dev.spream.api.spi;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown by a sink that refuses a change for good: trying again is of no use. The configured policy does not retry, and
 * goes on to what {@code on-failure} says, if it is thrown itself and not as the cause of something else. The message shows
 * nothing of what the change holds.
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
