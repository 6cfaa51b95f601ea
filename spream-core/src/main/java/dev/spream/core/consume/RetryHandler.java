package dev.spream.core.consume;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;

/**
 * The error handler of a {@link RetryPolicy}: retries within limits, then takes another decision.
 *
 * @param delay the wait after an attempt, from 1
 * @param nonRetryable the exceptions after which there is no retry
 * @param then the decision when retries end
 */
record RetryHandler(
        IntFunction<Duration> delay,
        OptionalInt maxAttempts,
        Optional<Duration> maxElapsed,
        List<Class<? extends Throwable>> nonRetryable,
        ErrorDecision then)
        implements ErrorHandler {

    @Override
    public ErrorDecision onFailure(DeliveryFailure failure) {
        if (nonRetryable.stream().anyMatch(type -> type.isInstance(failure.cause()))
                || (maxAttempts.isPresent() && failure.counted() >= maxAttempts.getAsInt())) {
            return then;
        }
        Duration wait = delay.apply(failure.attempt());
        if (maxElapsed.isEmpty()) {
            return new ErrorDecision.Retry(wait);
        }
        Duration left = maxElapsed.get().minus(elapsed(failure));
        if (!left.isPositive()) {
            return then;
        }
        return new ErrorDecision.Retry(wait.compareTo(left) < 0 ? wait : left);
    }

    /** Returns the time from the first failure to this one; not negative if the wall clock was set back. */
    private static Duration elapsed(DeliveryFailure failure) {
        Duration elapsed = Duration.between(failure.firstFailureAt(), failure.failedAt());
        return elapsed.isNegative() ? Duration.ZERO : elapsed;
    }
}
