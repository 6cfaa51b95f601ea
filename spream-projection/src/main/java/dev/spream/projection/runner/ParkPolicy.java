package dev.spream.projection.runner;

import dev.spream.core.ExponentialBackoff;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Decides for how long an aggregate is parked. As safe for use by many threads as its source of random numbers. */
record ParkPolicy(ProjectionOptions options, RandomGenerator random) {

    ParkDecision poison(int attempts, String error) {
        return new ParkDecision(ParkReason.POISON, attempts, error, Optional.empty());
    }

    /**
     * Returns the decision after a retryable failure: until the next attempt, or, if that was the last one, until an
     * operator acts.
     */
    ParkDecision afterTransient(int attempts, String error) {
        if (attempts >= options.maxAttempts()) {
            return poison(attempts, error);
        }
        return new ParkDecision(ParkReason.TRANSIENT, attempts, error, delay(attempts));
    }

    /** Returns the decision after an outage, which does not count as an attempt, since the event is not the cause. */
    ParkDecision afterOutage(int attempts, String error) {
        return new ParkDecision(ParkReason.TRANSIENT, attempts, error, delay(Math.max(1, attempts)));
    }

    ParkDecision gap(long missing) {
        return new ParkDecision(
                ParkReason.GAP,
                0,
                "the event with version %d has not arrived yet".formatted(missing),
                Optional.of(options.maxDelay()));
    }

    private Optional<Duration> delay(int attempts) {
        return Optional.of(ExponentialBackoff.pause(options.initialDelay(), options.maxDelay(), attempts, random));
    }
}
