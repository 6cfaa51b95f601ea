package dev.spream.outbox.worker;

import java.util.PriorityQueue;

/**
 * The times at which entries that failed in this worker are due again, so that they are claimed then and not at the
 * next poll. Keeps a bounded number of times; the other entries are found by polls. Safe for use by many threads.
 */
final class DueTimes {
    private static final int MAX = 10_000;

    private final PriorityQueue<Long> times = new PriorityQueue<>((a, b) -> Long.signum(a - b)); // guarded by this

    synchronized void add(long at) {
        if (times.size() < MAX) {
            times.add(at);
        }
    }

    /** Removes the times that have passed; returns whether there were any. */
    synchronized boolean pass(long now) {
        boolean passed = false;
        while (!times.isEmpty() && times.peek() - now <= 0) {
            times.remove();
            passed = true;
        }
        return passed;
    }

    /** Returns the time until the next one, in nanoseconds; {@code Long.MAX_VALUE} if there is none. */
    synchronized long next(long now) {
        return times.isEmpty() ? Long.MAX_VALUE : Math.max(0, times.peek() - now);
    }
}
