package dev.spream.examples.fault;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits until something is so. */
public final class Await {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private Await() {}

    /** Fails with the state if it takes longer than a bound that is generous. */
    public static void until(Duration patience, Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain: " + state.call());
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }
}
