package dev.spream.core;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * The pauses between attempts: random, up to a ceiling that doubles with each attempt up to the cap, and at least a
 * millisecond, or the ceiling if that is shorter. Full jitter, so that calls that failed together are not repeated
 * together. An instance is confined to a thread.
 *
 * @see <a href="https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/">Exponential backoff and
 *     jitter</a>
 */
public final class ExponentialBackoff {
    private static final long FLOOR = TimeUnit.MILLISECONDS.toNanos(1);

    private final Duration base;
    private final Duration cap;
    private final RandomGenerator random;
    private int attempts;

    /**
     * Creates pauses that start from the base again after each {@link #reset}.
     *
     * @param base the ceiling of the first pause
     * @param cap the ceiling of the longest pauses, {@code base} or more, and less than 2^62 ns
     */
    public ExponentialBackoff(Duration base, Duration cap, RandomGenerator random) {
        this.base = base;
        this.cap = cap;
        this.random = random;
    }

    /** Counts an attempt, and returns the pause before it. */
    public Duration next() {
        return pause(base, cap, ++attempts, random);
    }

    /** Returns the number of pauses since the start or the last reset. */
    public int attempts() {
        return attempts;
    }

    /** Starts from the base again, after progress. */
    public void reset() {
        attempts = 0;
    }

    /**
     * Returns the pause after an attempt, for callers that count attempts themselves. Safe for use by many threads.
     *
     * @param attempt the failed attempt, from 1
     * @throws IllegalArgumentException if the attempt is below 1
     */
    public static Duration pause(Duration base, Duration cap, int attempt, RandomGenerator random) {
        if (attempt < 1) {
            throw new IllegalArgumentException("attempt is %d, must be 1 or more".formatted(attempt));
        }
        int doublings = Math.min(attempt - 1, Long.SIZE - 2);
        long most = cap.toNanos();
        long ceiling = base.toNanos() > most >> doublings ? most : base.toNanos() << doublings;
        long floor = Math.min(FLOOR, ceiling);
        return Duration.ofNanos(floor + random.nextLong(ceiling - floor + 1));
    }
}
