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
 * The number and duration of retries of a refused change, and its fate when they end. Begins with {@link
 * ErrorHandler#fixedBackoff} or {@link ErrorHandler#exponentialBackoff}, and ends with {@link #forever} or one of the
 * {@code then} methods, which give the handler.
 *
 * <p>Attempts and time count from the change's first failure in this run: a change that comes again after a restart or a
 * take-over starts anew. A waiting change holds up those that must not overtake it, and nothing else.
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
    private final List<Class<? extends Throwable>> hopeless;

    private RetryPolicy(
            IntFunction<Duration> delay,
            OptionalInt maxAttempts,
            Optional<Duration> maxElapsed,
            List<Class<? extends Throwable>> hopeless) {
        this.delay = delay;
        this.maxAttempts = maxAttempts;
        this.maxElapsed = maxElapsed;
        this.hopeless = hopeless;
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
     * Gives a change up when it is refused and was handed over that often; 1 or more, the first time included. No limit by
     * default. A batch counts for each of its changes that it left open: let it be 3 or more with a {@link BatchConsumer}, so
     * that one that was only behind a bad one is tried again.
     */
    public RetryPolicy maxAttempts(int maxAttempts) {
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is %d, must be 1 or more".formatted(maxAttempts));
        }
        return new RetryPolicy(delay, OptionalInt.of(maxAttempts), maxElapsed, hopeless);
    }

    /**
     * Gives a change up when it is refused that long after its first failure, or later; 1 ms to 365 days. The last delay is
     * shortened so that one attempt is made at the limit. No limit by default.
     */
    public RetryPolicy maxElapsed(Duration maxElapsed) {
        requireBetween("maxElapsed", maxElapsed, MIN_DELAY, MAX_MAX_ELAPSED);
        return new RetryPolicy(delay, maxAttempts, Optional.of(maxElapsed), hopeless);
    }

    /**
     * Gives a change up at once when the consumer threw one of these, or a subclass. What is wrapped in another exception
     * does not count.
     */
    @SafeVarargs
    public final RetryPolicy giveUpOn(Class<? extends Throwable>... hopeless) {
        List<Class<? extends Throwable>> all = new ArrayList<>(this.hopeless);
        for (Class<? extends Throwable> type : hopeless) {
            all.add(requireNonNull(type, "hopeless"));
        }
        return new RetryPolicy(delay, maxAttempts, maxElapsed, List.copyOf(all));
    }

    /**
     * Tries again until the consumer takes the change.
     *
     * @throws IllegalStateException if there is a limit or an exception to give up on
     */
    public ErrorHandler forever() {
        if (givesUp()) {
            throw new IllegalStateException(
                    "forever: the policy gives up at a limit or an exception; say what happens then");
        }
        return new RetryHandler(delay, maxAttempts, maxElapsed, hopeless, new ErrorDecision.Stop());
    }

    /** Stops the subscription with the last failure. */
    public ErrorHandler thenStop() {
        return then("thenStop", new ErrorDecision.Stop());
    }

    /** Gives the change up, and goes on. It is lost to the consumer. */
    public ErrorHandler thenSkip() {
        return then("thenSkip", new ErrorDecision.Skip());
    }

    /** Sets the change aside, and goes on, with later changes of the same key as well. */
    public ErrorHandler thenDeadLetter() {
        return then("thenDeadLetter", new ErrorDecision.DeadLetter());
    }

    /**
     * Sets the change and every later one of its keys aside, in order, and delivers the other keys. Records of several rows
     * spread it, as {@link ErrorDecision.ParkKey} says.
     */
    public ErrorHandler thenParkKey() {
        return then("thenParkKey", new ErrorDecision.ParkKey());
    }

    private ErrorHandler then(String name, ErrorDecision decision) {
        if (!givesUp()) {
            throw new IllegalStateException(
                    "%s: the policy never gives up; set maxAttempts, maxElapsed or giveUpOn, or end with forever()"
                            .formatted(name));
        }
        return new RetryHandler(delay, maxAttempts, maxElapsed, hopeless, decision);
    }

    private boolean givesUp() {
        return maxAttempts.isPresent() || maxElapsed.isPresent() || !hopeless.isEmpty();
    }
}
