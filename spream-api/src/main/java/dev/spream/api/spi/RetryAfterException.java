package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.SpreamException;
import java.time.Duration;

/**
 * A failure of a sink whose receiver requested a pause, as with HTTP's {@code Retry-After}. The configured policy waits
 * at least that long before the next attempt, if there is one. This holds only if the exception is thrown itself, not
 * as the cause of another one. A sink that takes batches fails single changes with it: after a failed batch, its
 * changes are delivered again one by one, the first at once.
 */
public class RetryAfterException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private final Duration delay;

    /**
     * @param delay the requested delay, which the policy caps at a day
     * @throws IllegalArgumentException if the delay is negative
     */
    public RetryAfterException(String message, Duration delay) {
        super(message);
        this.delay = requireNonNull(delay, "delay");
        if (delay.isNegative()) {
            throw new IllegalArgumentException(
                    "the delay is %s; expected zero or more".formatted(DurationText.of(delay)));
        }
    }

    public Duration delay() {
        return delay;
    }
}
