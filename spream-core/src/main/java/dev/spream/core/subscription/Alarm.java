package dev.spream.core.subscription;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Something to wait on that remembers having been raised: who raises it before the other waits is not missed. One thread
 * waits, any may raise.
 */
final class Alarm {
    private final EngineTime time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean raised; // guarded by lock

    Alarm(EngineTime time) {
        this.time = time;
    }

    void raise() {
        lock.lock();
        try {
            raised = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the alarm is raised or the time is over, and lowers it. */
    void await(Duration atMost) throws InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(atMost);
        lock.lockInterruptibly();
        try {
            while (!raised && nanos > 0) {
                nanos = time.awaitNanos(changed, nanos);
            }
            raised = false;
        } finally {
            lock.unlock();
        }
    }
}
