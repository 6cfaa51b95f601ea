package dev.spream.outbox.worker;

import dev.spream.core.internal.Alarm;
import dev.spream.core.internal.MonotonicTime;

/**
 * The stage of a worker's shutdown, which only ever increases, and the alarms that wake its threads. Safe
 * for use by many threads.
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

    private final Alarm claims;
    private final Alarm reader;
    private final Alarm upkeep;
    private final Alarm retention;
    private final Alarm runner;
    private volatile Stage stage = Stage.RUNNING;

    WorkerSignals(MonotonicTime time) {
        this.claims = new Alarm(time);
        this.reader = new Alarm(time);
        this.upkeep = new Alarm(time);
        this.retention = new Alarm(time);
        this.runner = new Alarm(time);
    }

    /** Raised when there may be something to claim, or room for it. */
    Alarm claims() {
        return claims;
    }

    /** Raised when the plan has to be read anew. */
    Alarm reader() {
        return reader;
    }

    /** Raised when the lanes have to be seen to. */
    Alarm upkeep() {
        return upkeep;
    }

    Alarm retention() {
        return retention;
    }

    /** Raised while the worker stops, when an attempt has ended. */
    Alarm runner() {
        return runner;
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
        claims.raise();
        reader.raise();
        retention.raise();
        runner.raise();
    }

    private synchronized void escalate(Stage to) {
        if (to.compareTo(stage) > 0) {
            stage = to;
        }
    }
}
