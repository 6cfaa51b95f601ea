package dev.spream.outbox.worker;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;

/**
 * The clock of a worker, the stage of its shutdown, which only ever increases, and the alarms that wake its threads. Safe for use
 * by many threads.
 */
final class WorkerSignals {
    enum Stage {
        /** Not at all. */
        RUNNING,
        /** Claims nothing and starts nothing; what has started finishes. */
        DRAINING,
        /** Interrupts what has started. */
        CANCELLED
    }

    final Waiter claims; // raised when there may be something to claim, or room for it
    final Waiter reader; // raised when the plan has to be read again
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

    /** The time by the worker's clock, in nanoseconds. */
    long now() {
        return time.nanoTime();
    }

    boolean isRunning() {
        return stage == Stage.RUNNING;
    }

    boolean isCancelled() {
        return stage == Stage.CANCELLED;
    }

    /** Stops that far, if not further already, and wakes those that have to notice. */
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
