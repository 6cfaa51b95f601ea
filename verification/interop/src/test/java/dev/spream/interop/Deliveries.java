package dev.spream.interop;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** The changes that a reader has delivered, by the ids of their rows. Safe for use by many threads. */
final class Deliveries {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final Set<String> ids = new HashSet<>();
    private int count;
    private boolean ended;

    void add(String id) {
        lock.lock();
        try {
            ids.add(id);
            count++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits, since the reader delivers nothing more. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Set<String> ids() {
        lock.lock();
        try {
            return Set.copyOf(ids);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of delivered changes, including repeated ones. */
    int count() {
        lock.lock();
        try {
            return count;
        } finally {
            lock.unlock();
        }
    }

    void awaitCount(int expected, Duration timeout) throws InterruptedException {
        await(() -> count >= expected, timeout);
    }

    void awaitAll(Collection<String> expected, Duration timeout) throws InterruptedException {
        await(() -> ids.containsAll(expected), timeout);
    }

    /** Waits until it is so, the reader has ended, or the time is up; the caller judges what there is then. */
    private void await(BooleanSupplier enough, Duration timeout) throws InterruptedException {
        long nanos = timeout.toNanos();
        lock.lock();
        try {
            while (!enough.getAsBoolean() && !ended && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The expected ones that did not come. */
    Set<String> missing(Collection<String> expected) {
        Set<String> missing = new TreeSet<>(expected);
        missing.removeAll(ids());
        return missing;
    }
}
