package dev.spream.outbox.worker;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.core.ExponentialBackoff;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** The delays of failed entries before their next attempts. Immutable. */
public sealed interface Backoff {
    Duration MAX_DELAY = Duration.ofDays(7);

    /**
     * Delays of 5, 10, 20, 40, 80 and 160 seconds. Six attempts have five delays; the last value applies from the
     * seventh attempt on.
     */
    Backoff DEFAULT = table(List.of(
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            Duration.ofSeconds(40),
            Duration.ofSeconds(80),
            Duration.ofSeconds(160)));

    /**
     * Returns the delay after a failed attempt.
     *
     * @param attempt the number of the failed attempt, from 1
     */
    Duration after(int attempt, RandomGenerator random);

    /**
     * Returns a backoff with fixed delays: the first one after the first attempt, the second after the second, and so
     * on; the last one repeats.
     */
    static Backoff table(List<Duration> delays) {
        return new Table(delays);
    }

    /**
     * Returns an exponential backoff with full jitter: a random delay of at most {@code base}, doubled with each
     * attempt up to {@code cap}, so that entries which failed together are not retried together.
     */
    static Backoff exponential(Duration base, Duration cap) {
        return new Exponential(base, cap);
    }

    /**
     * A table of fixed delays.
     *
     * @param delays one delay or more, none negative
     */
    record Table(List<Duration> delays) implements Backoff {
        public Table {
            delays = List.copyOf(delays);
            if (delays.isEmpty()) {
                throw new IllegalArgumentException("delays is empty; it must have at least one delay");
            }
            delays.forEach(delay -> requireAtLeast("delay", delay, Duration.ZERO));
        }

        @Override
        public Duration after(int attempt, RandomGenerator random) {
            return delays.get(Math.min(attempt, delays.size()) - 1);
        }
    }

    /**
     * Random delays whose upper bound grows exponentially.
     *
     * @param base 1 ms or more
     * @param cap {@code base} or more
     */
    record Exponential(Duration base, Duration cap) implements Backoff {
        public Exponential {
            requireAtLeast("base", base, Duration.ofMillis(1));
            requireAtLeast("cap", cap, base);
        }

        @Override
        public Duration after(int attempt, RandomGenerator random) {
            return ExponentialBackoff.pause(base, cap, attempt, random);
        }
    }

    private static void requireAtLeast(String field, Duration value, Duration min) {
        requireBetween(field, requireNonNull(value, field), min, MAX_DELAY);
    }
}
