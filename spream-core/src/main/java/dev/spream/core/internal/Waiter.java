package dev.spream.core.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A signal for one waiting thread. It is remembered: a signal before the wait ends the wait at once. Any thread may
 * signal; repeated signals take no lock.
 */
public final class Waiter {
    private final MonotonicTime time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean raised; // written under the lock

    public Waiter(MonotonicTime time) {
        this.time = time;
    }

    public void signal() {
        if (raised) {
            return; // the waiting thread resets it before it reads the changed state
        }
        lock.lock();
        try {
            raised = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is signalled, or for that long, and resets it; returns whether it was signalled. */
    public boolean await(Duration atMost) throws InterruptedException {
        return await(TimeUnit.NANOSECONDS.convert(atMost));
    }

    /** Waits as {@link #await(Duration)} does, for that many nanoseconds. */
    public boolean await(long nanos) throws InterruptedException {
        return awaitUntil(time.nanoTime() + nanos);
    }

    /** Waits as {@link #await(Duration)} does, until the clock's {@link MonotonicTime#nanoTime} is at that value. */
    boolean awaitUntil(long deadline) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            for (long left = deadline - time.nanoTime(); !raised && left > 0; left = deadline - time.nanoTime()) {
                time.awaitNanos(changed, left);
            }
            boolean wasRaised = raised;
            raised = false;
            return wasRaised;
        } finally {
            lock.unlock();
        }
    }
}
