package dev.spream.core.consume;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** How long to wait before a change is tried again. */
@FunctionalInterface
interface RetryDelay {

    /**
     * The wait after an attempt.
     *
     * @param attempt the one that failed, from 1
     */
    Duration after(int attempt);

    /** Longer than zero, and at most {@code base}, doubled with each attempt, or {@code cap}. Both are less than 2^62 ns. */
    static RetryDelay fullJitter(Duration base, Duration cap, Supplier<? extends RandomGenerator> random) {
        long first = base.toNanos();
        long most = cap.toNanos();
        return attempt -> {
            int doublings = Math.min(attempt - 1, Long.SIZE - 2);
            long ceiling = first > most >> doublings ? most : first << doublings;
            return Duration.ofNanos(1 + random.get().nextLong(ceiling));
        };
    }
}
