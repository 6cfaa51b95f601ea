package dev.spream.outbox.worker;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;

/**
 * The clock of a worker, the stage of its shutdown, which only increases, and the signals that wake its threads. Safe
 * for use by many threads.
 */
final class WorkerSignals {
    enum Stage {
        /** Not stopping. */
        RUNNING,
        /** No claims and no new attempts; started attempts finish. */
        DRAINING,
        /** Started attempts are interrupted. */
        CANCELLED
    }

    final Waiter claims; // raised when there may be entries to claim, or capacity for them
    final Waiter reader; // raised when the planner needs entries
    final Waiter maintenance; // raised when the segments need maintenance
    final Waiter retention;
    final Waiter runner; // raised while the worker stops, when an attempt has ended
    private final MonotonicTime time;
    private volatile Stage stage = Stage.RUNNING;

    WorkerSignals(MonotonicTime time) {
        this.time = time;
        this.claims = new Waiter(time);
        this.reader = new Waiter(time);
        this.maintenance = new Waiter(time);
        this.retention = new Waiter(time);
        this.runner = new Waiter(time);
    }

    /** Returns the time by the worker's clock, in nanoseconds. */
    long now() {
        return time.nanoTime();
    }

    boolean isRunning() {
        return stage == Stage.RUNNING;
    }

    boolean isCancelled() {
        return stage == Stage.CANCELLED;
    }

    /** Moves the shutdown to that stage, unless it is further already, and wakes the threads that depend on it. */
    void stop(Stage to) {
        escalate(to);
        claims.signal();
        reader.signal();
        retention.signal();
        runner.signal();
    }

    private synchronized void escalate(Stage to) {
        if (to.compareTo(stage) > 0) {
            stage = to;
        }
    }
}
