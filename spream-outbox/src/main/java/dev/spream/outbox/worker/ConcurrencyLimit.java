package dev.spream.outbox.worker;

import dev.spream.core.internal.Waiter;

/**
 * A limit on the number of entries that a worker has claimed and not sent. A slot is reserved, then used or returned.
 * Safe for use by many threads; a returned slot wakes only the thread that waits for one.
 */
final class ConcurrencyLimit {
    private final int capacity;
    private final Waiter wake;

    // Guarded by this.
    private int reserved;
    private int promised;
    private int used;
    private boolean wanted;

    /** @param wake raised when a slot is returned while one is wanted */
    ConcurrencyLimit(int capacity, Waiter wake) {
        this.capacity = capacity;
        this.wake = wake;
    }

    /**
     * Reserves at most that many slots; returns the number of reserved ones.
     *
     * @param beyond the number of slots that may be reserved beyond the limit
     */
    synchronized int reserve(int limit, int beyond) {
        int slots = Math.max(0, Math.min(limit, capacity - used - reserved + beyond));
        reserved += slots;
        return slots;
    }

    /**
     * Promises at most that many unused slots to entries that are about to be enqueued, and returns their number.
     * Promised slots can be reserved and used meanwhile, so that a transaction that stays open delays no claim; the
     * enqueued entries then wait for their turn.
     */
    synchronized int promise(int limit) {
        int slots = Math.max(0, Math.min(limit, capacity - used - promised));
        promised += slots;
        return slots;
    }

    /** Takes promises back. */
    synchronized void withdraw(int slots) {
        promised -= slots;
    }

    /** Uses promised slots, whether they are free or not. */
    synchronized void usePromised(int slots) {
        promised -= slots;
        used += slots;
    }

    /** Uses reserved slots. */
    synchronized void use(int slots) {
        reserved -= slots;
        used += slots;
    }

    /** Returns reserved slots that are not used. */
    void release(int slots) {
        synchronized (this) {
            reserved -= slots;
        }
        if (slots > 0) {
            signal();
        }
    }

    /** Returns a slot that was used. */
    void giveBack() {
        synchronized (this) {
            used--;
        }
        signal();
    }

    /** Returns whether no slot is used. */
    synchronized boolean isIdle() {
        return used == 0;
    }

    /** Requests a wake-up at the next return. The caller has to try to reserve a slot once more after this call. */
    synchronized void want() {
        wanted = true;
    }

    /** Wakes the waiting thread, if any, since there may be a free slot. */
    void signal() {
        if (takeWanted()) {
            wake.signal();
        }
    }

    private synchronized boolean takeWanted() {
        boolean was = wanted;
        wanted = false;
        return was;
    }
}
