package dev.spream.core.outbox;

import java.util.concurrent.locks.Condition;

/** The time that a worker lives in, and every wait of it that a time ends. Safe for use by many threads. */
interface OutboxTime {
    OutboxTime SYSTEM = new OutboxTime() {
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

    /** A clock that never goes back, in nanoseconds from anywhere. */
    long nanoTime();

    /**
     * Waits until the condition is signalled, or for that long.
     *
     * @param condition one whose lock the caller holds
     * @return how much of the time is left; nothing, or less, when it is over
     */
    long awaitNanos(Condition condition, long nanos) throws InterruptedException;
}
