package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import java.time.Duration;

/** The decision on a change that a consumer refused. */
public sealed interface ErrorDecision {

    /**
     * Try again after a delay. Changes that must not overtake it wait behind it.
     *
     * @param delay zero or longer
     */
    record Retry(Duration delay) implements ErrorDecision {
        public Retry {
            requireNonNull(delay, "delay");
            if (delay.isNegative()) {
                throw new IllegalArgumentException("delay %s is negative".formatted(DurationText.of(delay)));
            }
        }
    }

    /** Give the change up: it counts as settled, and as skipped. */
    record Skip() implements ErrorDecision {}

    /** Hand the change to the {@link DeadLetterSink}, and go on with those that follow. */
    record DeadLetter() implements ErrorDecision {}

    /**
     * Hand the change, and every later one of its keys, to the {@link DeadLetterSink} until the keys are released, so that
     * their order survives.
     *
     * <p>Parking spreads over records of several rows. A record that changes a parked key and others waits as a whole, so what
     * follows on its other keys waits too: where transactions write rows in changing combinations, a few bad keys park nearly all
     * of them in the end. Order allows nothing less. Where it does not matter, {@link DeadLetter} does not spread.
     *
     * <p>A change whose keys cannot be read has none to park: it is treated as {@link DeadLetter} says.
     */
    record ParkKey() implements ErrorDecision {}

    /** Stop the subscription with the failure. The change comes again after a restart. */
    record Stop() implements ErrorDecision {}
}
