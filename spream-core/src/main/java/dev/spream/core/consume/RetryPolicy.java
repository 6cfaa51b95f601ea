package dev.spream.core.consume;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.core.ExponentialBackoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The limits of the retries of a failed change, and the decision when they end. Begins with {@link
 * ErrorHandler#fixedBackoff} or {@link ErrorHandler#exponentialBackoff}, and ends with {@link #forever} or one of the
 * {@code then} methods, which give the handler.
 *
 * <p>Attempts and time count from the change's first failure in this run: they start again when the change is
 * delivered again after a restart or a take-over. A waiting change holds up only those that must not overtake it.
 *
 * <p>Immutable: every method returns another policy.
 */
public final class RetryPolicy {
    private static final Duration MIN_DELAY = Duration.ofMillis(1);
    private static final Duration MAX_DELAY = Duration.ofDays(1);
    private static final Duration MAX_MAX_ELAPSED = Duration.ofDays(365);

    private final IntFunction<Duration> delay;
    private final OptionalInt maxAttempts;
    private final Optional<Duration> maxElapsed;
    private final List<Class<? extends Throwable>> nonRetryable;

    private RetryPolicy(
            IntFunction<Duration> delay,
            OptionalInt maxAttempts,
            Optional<Duration> maxElapsed,
            List<Class<? extends Throwable>> nonRetryable) {
        this.delay = delay;
        this.maxAttempts = maxAttempts;
        this.maxElapsed = maxElapsed;
        this.nonRetryable = nonRetryable;
    }

    static RetryPolicy fixed(Duration delay) {
        requireBetween("delay", delay, MIN_DELAY, MAX_DELAY);
        return unlimited(attempt -> delay);
    }

    static RetryPolicy exponential(Duration base, Duration cap) {
        return exponential(base, cap, ThreadLocalRandom::current);
    }

    static RetryPolicy exponential(Duration base, Duration cap, Supplier<? extends RandomGenerator> random) {
        requireBetween("base", base, MIN_DELAY, MAX_DELAY);
        requireBetween("cap", cap, base, MAX_DELAY);
        return unlimited(attempt -> ExponentialBackoff.pause(base, cap, attempt, random.get()));
    }

    private static RetryPolicy unlimited(IntFunction<Duration> delay) {
        return new RetryPolicy(delay, OptionalInt.empty(), Optional.empty(), List.of());
    }

    /**
     * Sets the maximum number of attempts at a change, including the first; 1 or more. No limit by default. A failed
     * batch counts as an attempt for each of its unsettled changes: use 3 or more with a {@link BatchConsumer}, so that
     * a change that was only in a batch with a bad one is tried again.
     */
    public RetryPolicy maxAttempts(int maxAttempts) {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is %d, must be 1 or more".formatted(maxAttempts));
        }
        return new RetryPolicy(delay, OptionalInt.of(maxAttempts), maxElapsed, nonRetryable);
    }

    /**
     * Ends the retries of a change when it fails that long after its first failure, or later; 1 ms to 365 days. The
     * last delay is shortened so that one attempt is made at the limit. No limit by default.
     */
    public RetryPolicy maxElapsed(Duration maxElapsed) {
        requireBetween("maxElapsed", maxElapsed, MIN_DELAY, MAX_MAX_ELAPSED);
        return new RetryPolicy(delay, maxAttempts, Optional.of(maxElapsed), nonRetryable);
    }

    /**
     * Makes these exceptions of the consumer, and their subclasses, non-retryable. Exceptions wrapped in another one
     * do not count.
     */
    @SafeVarargs
    public final RetryPolicy abortOn(Class<? extends Throwable>... nonRetryable) {
        List<Class<? extends Throwable>> all = new ArrayList<>(this.nonRetryable);
        for (Class<? extends Throwable> type : nonRetryable) {
            all.add(requireNonNull(type, "nonRetryable"));
        }
        return new RetryPolicy(delay, maxAttempts, maxElapsed, List.copyOf(all));
    }

    /**
     * Tries again until the consumer accepts the change.
     *
     * @throws IllegalStateException if there is a limit or a non-retryable exception
     */
    public ErrorHandler forever() {
        if (hasLimit()) {
            throw new IllegalStateException(
                    "forever() does not fit a policy with maxAttempts, maxElapsed or abortOn; remove these, or end the policy with one of the then methods");
        }
        return new RetryHandler(delay, maxAttempts, maxElapsed, nonRetryable, new ErrorDecision.Stop());
    }

    /** Stops the subscription with the last failure. */
    public ErrorHandler thenStop() {
        return then("thenStop", new ErrorDecision.Stop());
    }

    /** Skips the change, and continues. It is lost to the consumer. */
    public ErrorHandler thenSkip() {
        return then("thenSkip", new ErrorDecision.Skip());
    }

    /** Dead-letters the change, and continues, with later changes of the same key as well. */
    public ErrorHandler thenDeadLetter() {
        return then("thenDeadLetter", new ErrorDecision.DeadLetter());
    }

    /**
     * Dead-letters the change and every later one of its keys, in order, and delivers the other keys. Records of
     * several rows spread the parking; see {@link ErrorDecision.ParkKey}.
     */
    public ErrorHandler thenParkKey() {
        return then("thenParkKey", new ErrorDecision.ParkKey());
    }

    private ErrorHandler then(String name, ErrorDecision decision) {
        if (!hasLimit()) {
            throw new IllegalStateException(
                    "%s() does not fit a policy without a limit; set maxAttempts, maxElapsed or abortOn, or end the policy with forever()"
                            .formatted(name));
        }
        return new RetryHandler(delay, maxAttempts, maxElapsed, nonRetryable, decision);
    }

    private boolean hasLimit() {
        return maxAttempts.isPresent() || maxElapsed.isPresent() || !nonRetryable.isEmpty();
    }
}
