package dev.spream.core.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Something to wait on that remembers having been raised: who raises it before the other waits is not missed. One thread
 * waits, any may raise; raising what is raised takes no lock.
 */
public final class Waiter {
    private final MonotonicTime time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private volatile boolean raised; // written under the lock

    public Waiter(MonotonicTime time) {
        this.time = time;
    }

    public void raise() {
        if (raised) {
            return; // who waits lowers it before it looks at what has changed
        }
        lock.lock();
        try {
            raised = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until it is raised, or for that long, and lowers it; whether it was raised. */
    public boolean await(Duration atMost) throws InterruptedException {
        return await(TimeUnit.NANOSECONDS.convert(atMost));
    }

    /** The same for so many nanoseconds. */
    public boolean await(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (!raised && left > 0) {
                left = time.awaitNanos(changed, left);
            }
            boolean wasRaised = raised;
            raised = false;
            return wasRaised;
        } finally {
            lock.unlock();
        }
    }
}
