package dev.spream.core.internal;

import java.util.concurrent.locks.Condition;

/** A clock that never goes back, and every wait of an engine that a time ends. Safe for use by many threads. */
public interface MonotonicTime {
    MonotonicTime SYSTEM = new MonotonicTime() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // the caller's part
        public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
            return condition.awaitNanos(nanos);
        }
    };

    /** Nanoseconds from anywhere, for leases and durations. */
    long nanoTime();

    /**
     * Waits until the condition is signalled, or for that long.
     *
     * @param condition one whose lock the caller holds
     * @return how much of the time is left; nothing, or less, when it is over
     */
    long awaitNanos(Condition condition, long nanos) throws InterruptedException;
}
