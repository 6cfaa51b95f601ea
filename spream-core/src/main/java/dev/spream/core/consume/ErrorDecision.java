package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import java.time.Duration;

/** The decision on a change that a consumer failed on. */
public sealed interface ErrorDecision {

    /**
     * Try again after a delay. Changes that must not overtake it wait.
     *
     * @param delay zero or longer
     * @param counted whether the failed attempt counts towards the limits of later failures of the change
     */
    record Retry(Duration delay, boolean counted) implements ErrorDecision {
        public Retry {
            requireNonNull(delay, "delay");
            if (delay.isNegative()) {
                throw new IllegalArgumentException("delay %s is negative".formatted(DurationText.of(delay)));
            }
        }

        public Retry(Duration delay) {
            this(delay, true);
        }
    }

    /** Skip the change: it counts as settled, but was not consumed. */
    record Skip() implements ErrorDecision {}

    /** Dead-letter the change, and continue with later ones. */
    record DeadLetter() implements ErrorDecision {}

    /**
     * Hand the change, and every later one of its keys, to the {@link DeadLetterSink} until the keys are released, so that
     * their order survives.
     *
     * <p>Parking spreads over records of several rows. A record that changes a parked key and others waits as a
     * whole, so later changes of its other keys wait too: where transactions write rows in changing combinations, a
     * few bad keys park nearly all of them in the end. The order of each key requires this. Where order does not
     * matter, {@link DeadLetter} does not spread.
     *
     * <p>A change whose keys cannot be read has none to park: it is treated as by {@link DeadLetter}.
     */
    record ParkKey() implements ErrorDecision {}

    /** Stop the subscription with the failure. The change is delivered again after a restart. */
    record Stop() implements ErrorDecision {}
}
