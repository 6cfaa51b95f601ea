package dev.spream.core.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A task that is repeated on a thread of its own until it is stopped. */
public final class Periodic implements TaskGroup.Task {
    private final MonotonicTime time;
    private final Duration interval;
    private final boolean steady;
    private final TaskGroup.Task work;
    private final Waiter waiter;
    private final long createdAt;
    private volatile boolean stopped;

    /**
     * Creates a task whose runs start one interval after the end of the previous run; the first starts after one
     * interval.
     */
    public Periodic(MonotonicTime time, Duration interval, TaskGroup.Task work) {
        this(time, interval, new Waiter(time), work);
    }

    /** Creates such a task that also runs when the waiter is signalled. */
    public Periodic(MonotonicTime time, Duration interval, Waiter waiter, TaskGroup.Task work) {
        this(time, interval, false, waiter, work);
    }

    private Periodic(MonotonicTime time, Duration interval, boolean steady, Waiter waiter, TaskGroup.Task work) {
        this.time = time;
        this.waiter = waiter;
        this.createdAt = time.nanoTime();
        this.interval = interval;
        this.steady = steady;
        this.work = work;
    }

    /**
     * Returns a task whose runs start one interval after the start of the previous run, or at its end if it took
     * longer; the first starts after one interval.
     */
    public static Periodic steady(MonotonicTime time, Duration interval, TaskGroup.Task work) {
        return new Periodic(time, interval, true, new Waiter(time), work);
    }

    @Override
    public void run() throws Exception {
        long counted = createdAt;
        while (true) {
            waiter.awaitUntil(counted + TimeUnit.NANOSECONDS.convert(interval));
            if (stopped) {
                return;
            }
            long begun = time.nanoTime();
            work.run();
            counted = steady ? begun : time.nanoTime();
        }
    }

    /** Starts the next run now, without waiting for the end of the interval. */
    public void trigger() {
        waiter.signal();
    }

    public void stop() {
        stopped = true;
        waiter.signal();
    }
}
