package dev.spream.outbox.worker;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.core.ExponentialBackoff;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/** The waits of failed entries before their next attempts. Immutable. */
public sealed interface Backoff {
    Duration MAX_DELAY = Duration.ofDays(7);

    /** 5, 10, 20, 40, 80 and 160 seconds. Six attempts have five waits, so the last of these is for a seventh and later. */
    Backoff DEFAULT = table(List.of(
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(20),
            Duration.ofSeconds(40),
            Duration.ofSeconds(80),
            Duration.ofSeconds(160)));

    /**
     * The wait after a failed attempt.
     *
     * @param attempt the one that failed, from 1
     */
    Duration after(int attempt, RandomGenerator random);

    /** The first of these after the first attempt, the second after the second, and so on; the last one repeats. */
    static Backoff table(List<Duration> delays) {
        return new Table(delays);
    }

    /**
     * Anything up to {@code base}, doubled with each attempt, or {@code cap}: full jitter, so that entries which failed together
     * do not come back together.
     */
    static Backoff exponential(Duration base, Duration cap) {
        return new Exponential(base, cap);
    }

    /**
     * Waits that are written down.
     *
     * @param delays at least one, none negative
     */
    record Table(List<Duration> delays) implements Backoff {
        public Table {
            delays = List.copyOf(delays);
            if (delays.isEmpty()) {
                throw new IllegalArgumentException("a table of delays needs at least one");
            }
            delays.forEach(delay -> requireAtLeast("delay", delay, Duration.ZERO));
        }

        @Override
        public Duration after(int attempt, RandomGenerator random) {
            return delays.get(Math.min(attempt, delays.size()) - 1);
        }
    }

    /**
     * Waits at random.
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
