package dev.spream.core.subscription;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: exponential with full jitter, so that thousands of streams that broke together
 * do not come back together.
 */
final class ReconnectBackoff {
    private static final long BASE_MILLIS = 50;
    private static final long CAP_MILLIS = 10_000;
    private static final int MAX_DOUBLINGS = 20;

    private final RandomGenerator random;
    private int attempt;

    ReconnectBackoff(RandomGenerator random) {
        this.random = random;
    }

    /** The wait before the next attempt, which is counted. */
    Duration next() {
        long ceiling = Math.min(CAP_MILLIS, BASE_MILLIS << Math.min(attempt, MAX_DOUBLINGS));
        attempt++;
        return Duration.ofMillis(1 + random.nextLong(ceiling));
    }

    int attempt() {
        return attempt;
    }

    /** Starts anew: there was progress. */
    void reset() {
        attempt = 0;
    }
}
