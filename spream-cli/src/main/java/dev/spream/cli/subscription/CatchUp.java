package dev.spream.cli.subscription;

import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits until the low watermark of a subscription has passed a time: every change committed before is then settled, or
 * lost. Safe for use by many threads.
 */
final class CatchUp implements SubscriptionListener {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private Instant low = Instant.MIN; // guarded by lock, like stopped
    private boolean stopped;

    @Override
    public void lowWatermark(Instant lowWatermark) {
        lock.lock();
        try {
            low = lowWatermark;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the wait when the subscription has ended. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the subscription has passed the time. */
    boolean await(Instant point, Duration timeout) throws InterruptedException {
        long remaining = timeout.toNanos();
        lock.lock();
        try {
            while (!low.isAfter(point)) {
                if (stopped || remaining <= 0) {
                    return false;
                }
                remaining = changed.awaitNanos(remaining);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
