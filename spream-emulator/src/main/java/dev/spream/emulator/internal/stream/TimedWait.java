package dev.spream.emulator.internal.stream;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A gate where threads wait for time to pass, until they are woken. Safe for use by many threads. */
final class TimedWait {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();

    // Guarded by lock.
    private boolean open;
    private final AtomicLong wakes = new AtomicLong();

    /** Returns the number of wake-ups so far; read it before checking the awaited condition. */
    long wakes() {
        return wakes.get();
    }

    /**
     * Waits for the given time, or until woken after {@link #wakes} was read, or until {@link #open}, after which it
     * returns at once.
     */
    void await(long seenWakes, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = nanos;
            while (!open && wakes.get() == seenWakes && rest > 0) {
                rest = opened.awaitNanos(rest);
            }
        } finally {
            lock.unlock();
        }
    }

    void wake() {
        lock.lock();
        try {
            wakes.incrementAndGet();
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all current and future waits. */
    void open() {
        lock.lock();
        try {
            open = true;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
