package dev.spream.emulator.internal.stream;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Where threads wait for time to pass, until they are woken. Safe for use by many threads. */
final class Gate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();
    private boolean open;

    /** Waits for that long, or until {@link #open}; returns at once afterwards. */
    void await(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = nanos;
            while (!open && rest > 0) {
                rest = opened.awaitNanos(rest);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets everyone through, for good. */
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
