package dev.spream.core.subscription;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for a state without notification; the bound is a limit, not a measurement. */
public final class Polling {
    private static final long BOUND_NANOS = 30_000_000_000L;
    private static final long STEP_NANOS = 1_000_000L;

    private Polling() {}

    public static void await(BooleanSupplier condition, Supplier<?> state) {
        long deadline = System.nanoTime() + BOUND_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain; the state is " + state.get());
            }
            LockSupport.parkNanos(STEP_NANOS);
        }
    }
}
