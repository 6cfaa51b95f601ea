package dev.spream.examples.fault;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits until something is so. */
public final class Await {
    private static final long FIRST_PAUSE_NANOS = 10_000_000;
    private static final long LONGEST_PAUSE_NANOS = 200_000_000;

    private Await() {}

    /** Fails with the state if it takes longer than a bound that is generous. */
    public static void until(Duration timeout, Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + timeout.toNanos();
        for (long pause = FIRST_PAUSE_NANOS; !condition.call(); pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain: " + state.call());
            }
            LockSupport.parkNanos(pause);
        }
    }
}
