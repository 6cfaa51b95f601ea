package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.SpreamException;
import java.time.Duration;

/**
 * Thrown by a sink that was told when to come back, as HTTP's {@code Retry-After} does. The configured policy waits at least
 * that long before it tries again, if it does; thrown itself, and not as the cause of something else. A sink that takes
 * batches fails its changes with it one by one: when a whole batch throws, its changes come again alone first, and at once.
 */
public class RetryAfterException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private final Duration delay;

    /**
     * @param delay how long to wait; the policy caps it at a day
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
