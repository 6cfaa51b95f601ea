package dev.spream.outbox.worker;

import dev.spream.core.internal.Waiter;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A limit on the number of entries that are sent at the same time. One thread acquires slots, many release them; a
 * release wakes only the thread that waits for a slot.
 */
final class ConcurrencyLimit {
    private final int capacity;
    private final Waiter wake;
    private final AtomicInteger taken = new AtomicInteger();
    private volatile boolean wanted;

    /** @param wake raised when a slot is released while one is wanted */
    ConcurrencyLimit(int capacity, Waiter wake) {
        this.capacity = capacity;
        this.wake = wake;
    }

    int free() {
        return capacity - taken.get();
    }

    boolean isEmpty() {
        return taken.get() == 0;
    }

    void take() {
        taken.incrementAndGet();
    }

    void giveBack() {
        taken.decrementAndGet();
        signal();
    }

    /** Wakes the waiting thread, if any, since there may be a free slot. */
    void signal() {
        if (wanted) {
            wanted = false;
            wake.signal();
        }
    }

    /** Requests a wake-up at the next release. The caller has to check for a free slot once more after this call. */
    void want() {
        wanted = true;
    }
}
