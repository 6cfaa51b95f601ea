package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.RetryAfterException;
import dev.spream.core.StorageException;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.RetryPolicy;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;

/**
 * The configured policy for changes that the sink refuses: retries with growing random delays up to a maximum
 * number of attempts, none after a non-retryable failure, and then one of four outcomes. Retryable failures of the sink's
 * database, which no change has caused, are retried without limit, and do not count towards the maximum.
 */
final class FailurePolicy {
    private static final Duration LONGEST_DELAY = Duration.ofDays(1);

    static final ConfigKey<Outcome> ON_FAILURE = ConfigKey.of(
                    "on-failure",
                    ConfigType.choice(Outcome.class),
                    "Action for a change whose attempts are exhausted or that failed non-retryably: stop the"
                            + " subscription; skip the change; dead-letter it; or park its"
                            + " keys: the change and every later one of its keys are dead-lettered in order. With park-key, a"
                            + " record of several rows with one parked key is dead-lettered as a whole and parks its other"
                            + " keys too.")
            .withDefault(Outcome.STOP);

    private static final ConfigKey<OptionalInt> MAX_ATTEMPTS = ConfigKey.of(
                    "max-attempts",
                    new ConfigType<>(
                            "integer, 1 to 1000000, or unlimited",
                            FailurePolicy::readAttempts,
                            FailurePolicy::writeAttempts),
                    "Maximum number of deliveries of a change to the sink, the first included. While the database of"
                            + " a sink fails, as after a lost connection, attempts are not counted.")
            .withDefault(OptionalInt.of(10));
    private static final ConfigKey<Duration> BASE_DELAY = ConfigKey.of(
                    "base-delay",
                    ConfigType.duration(Duration.ofMillis(1), LONGEST_DELAY),
                    "Upper bound of the first random delay; doubled with each attempt.")
            .withDefault(Duration.ofMillis(100));
    private static final ConfigKey<Duration> MAX_DELAY = ConfigKey.of(
                    "max-delay",
                    ConfigType.duration(Duration.ofMillis(1), LONGEST_DELAY),
                    "Maximum upper bound of a delay.")
            .withDefault(Duration.ofSeconds(30));
    private static final int MAX_MAX_ATTEMPTS = 1_000_000;
    private static final String UNLIMITED = "unlimited";

    private FailurePolicy() {}

    enum Outcome {
        STOP,
        SKIP,
        DEAD_LETTER,
        PARK_KEY;

        boolean needsDeadLetters() {
            return this == DEAD_LETTER || this == PARK_KEY;
        }
    }

    static List<ConfigKey<?>> retryKeys() {
        return List.of(MAX_ATTEMPTS, BASE_DELAY, MAX_DELAY);
    }

    /** @throws IllegalArgumentException if {@code retry.max-delay} is shorter than {@code retry.base-delay} */
    static ErrorHandler of(PluginConfig own, PluginConfig retry) {
        Duration base = retry.get(BASE_DELAY);
        Duration cap = retry.get(MAX_DELAY);
        if (cap.compareTo(base) < 0) {
            throw new IllegalArgumentException(
                    "retry.max-delay is shorter than retry.base-delay: raise one, or lower the other");
        }
        RetryPolicy backoff = ErrorHandler.exponentialBackoff(base, cap);
        RetryPolicy policy = backoff.abortOn(NonRetryableException.class);
        OptionalInt attempts = retry.get(MAX_ATTEMPTS);
        RetryPolicy limited = attempts.isPresent() ? policy.maxAttempts(attempts.getAsInt()) : policy;
        ErrorHandler handler =
                switch (own.get(ON_FAILURE)) {
                    case STOP -> limited.thenStop();
                    case SKIP -> limited.thenSkip();
                    case DEAD_LETTER -> limited.thenDeadLetter();
                    case PARK_KEY -> limited.thenParkKey();
                };
        ErrorHandler unlimited = backoff.forever();
        return failure -> isOutage(failure)
                ? uncounted(unlimited.onFailure(failure))
                : patient(handler.onFailure(failure), failure);
    }

    private static boolean isOutage(DeliveryFailure failure) {
        return failure.cause() instanceof StorageException database && database.retryable();
    }

    private static ErrorDecision uncounted(ErrorDecision decision) {
        return decision instanceof ErrorDecision.Retry retry ? new ErrorDecision.Retry(retry.delay(), false) : decision;
    }

    /** Extends the retry delay to the delay that the sink requested, if that is longer. */
    private static ErrorDecision patient(ErrorDecision decision, DeliveryFailure failure) {
        return decision instanceof ErrorDecision.Retry retry
                        && failure.cause() instanceof RetryAfterException later
                        && later.delay().compareTo(retry.delay()) > 0
                ? new ErrorDecision.Retry(later.delay().compareTo(LONGEST_DELAY) < 0 ? later.delay() : LONGEST_DELAY)
                : decision;
    }

    private static OptionalInt readAttempts(String text) {
        return text.equals(UNLIMITED)
                ? OptionalInt.empty()
                : OptionalInt.of(ConfigType.integer(1, MAX_MAX_ATTEMPTS).read(text));
    }

    private static String writeAttempts(OptionalInt attempts) {
        return attempts.isPresent() ? Integer.toString(attempts.getAsInt()) : UNLIMITED;
    }
}
