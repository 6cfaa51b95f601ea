package dev.spream.core.internal;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.Condition;
import java.util.function.LongSupplier;

/**
 * The clocks of an engine, one that never goes back and the wall clock, and its waits with a time limit. Safe for use
 * by many threads.
 */
public interface MonotonicTime extends InstantSource {
    MonotonicTime SYSTEM = of(InstantSource.system(), System::nanoTime);

    /** Uses these clocks; waits follow those of the system. */
    static MonotonicTime of(InstantSource clock, LongSupplier nanoTime) {
        return new MonotonicTime() {
            @Override
            public Instant instant() {
                return clock.instant();
            }

            @Override
            public long nanoTime() {
                return nanoTime.getAsLong();
            }

            @Override
            @SuppressWarnings("WaitNotInLoop") // the caller's part
            public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
                return condition.awaitNanos(nanos);
            }
        };
    }

    /** Returns the earlier of two times in nanoseconds, which may overflow. */
    static long earlier(long time, long other) {
        return time - other < 0 ? time : other;
    }

    /** Nanoseconds from an arbitrary origin, for durations. On Linux it stops while the machine is suspended. */
    long nanoTime();

    /**
     * Waits until the condition is signalled, or for that long.
     *
     * @param condition one whose lock the caller holds
     * @return the remaining time; zero or negative when it is over
     */
    long awaitNanos(Condition condition, long nanos) throws InterruptedException;
}
