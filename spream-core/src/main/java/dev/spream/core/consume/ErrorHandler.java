package dev.spream.core.consume;

import java.time.Duration;

/**
 * The decision on a change after the consumer failed on it: to retry or skip it, to dead-letter it, to park its keys,
 * or to stop. Called on the thread that called the consumer, for
 * one change at a time; a slow handler holds up only the changes that must follow. A handler that throws stops the
 * subscription.
 *
 * <pre>{@code
 * ErrorHandler.exponentialBackoff(Duration.ofMillis(100), Duration.ofSeconds(30))
 *         .maxAttempts(8)
 *         .abortOn(MalformedOrderException.class)
 *         .thenParkKey();
 * }</pre>
 *
 * <p>The handlers that these methods return keep no state and are safe for use by many threads and subscriptions.
 */
@FunctionalInterface
public interface ErrorHandler {

    ErrorDecision onFailure(DeliveryFailure failure);

    /** Stops at the first failure. The default. */
    static ErrorHandler stop() {
        return failure -> new ErrorDecision.Stop();
    }

    /** Skips a change that fails, and continues. The change is lost to the consumer. */
    static ErrorHandler skip() {
        return failure -> new ErrorDecision.Skip();
    }

    /** Dead-letters a change that fails, and continues, with later changes of the same key as well. */
    static ErrorHandler deadLetter() {
        return failure -> new ErrorDecision.DeadLetter();
    }

    /**
     * Dead-letters a change that fails and every later change of its keys, in order, and delivers the other keys.
     * Records of several rows spread the parking; see {@link ErrorDecision.ParkKey}.
     */
    static ErrorHandler parkKey() {
        return failure -> new ErrorDecision.ParkKey();
    }

    /**
     * Tries again after the same delay each time.
     *
     * @param delay 1 ms to 1 day
     */
    static RetryPolicy fixedBackoff(Duration delay) {
        return RetryPolicy.fixed(delay);
    }

    /**
     * Tries again after a random delay, whose ceiling is {@code base} at first and doubles with each attempt up to
     * {@code cap}: so changes that failed together are not retried together.
     *
     * @param base 1 ms to 1 day
     * @param cap {@code base} to 1 day
     */
    static RetryPolicy exponentialBackoff(Duration base, Duration cap) {
        return RetryPolicy.exponential(base, cap);
    }
}
