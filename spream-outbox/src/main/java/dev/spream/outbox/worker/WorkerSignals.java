package dev.spream.outbox.worker;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The clock of a worker, the stage of its shutdown, which only increases, and the signals that wake its threads. Each
 * sender of the worker has signals {@linkplain #forSender of its own} for the threads that claim and read for it. Safe for
 * use by many threads.
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
    private final AtomicReference<Stage> stage;
    private final List<WorkerSignals> ofSenders;

    WorkerSignals(MonotonicTime time) {
        this.time = time;
        this.claims = new Waiter(time);
        this.reader = new Waiter(time);
        this.maintenance = new Waiter(time);
        this.retention = new Waiter(time);
        this.runner = new Waiter(time);
        this.stage = new AtomicReference<>(Stage.RUNNING);
        this.ofSenders = new CopyOnWriteArrayList<>();
    }

    private WorkerSignals(WorkerSignals worker) {
        this.time = worker.time;
        this.claims = new Waiter(time);
        this.reader = new Waiter(time);
        this.maintenance = worker.maintenance;
        this.retention = worker.retention;
        this.runner = worker.runner;
        this.stage = worker.stage;
        this.ofSenders = worker.ofSenders;
    }

    /** Returns these signals with those of another sender. */
    WorkerSignals forSender() {
        WorkerSignals sender = new WorkerSignals(this);
        ofSenders.add(sender);
        return sender;
    }

    /** Wakes the readers of all senders. */
    void read() {
        ofSenders.forEach(sender -> sender.reader.signal());
    }

    /** Returns the time by the worker's clock, in nanoseconds. */
    long now() {
        return time.nanoTime();
    }

    boolean isRunning() {
        return stage.get() == Stage.RUNNING;
    }

    boolean isCancelled() {
        return stage.get() == Stage.CANCELLED;
    }

    /** Moves the shutdown to that stage, unless it is further already, and wakes the threads that depend on it. */
    void stop(Stage to) {
        stage.updateAndGet(now -> to.compareTo(now) > 0 ? to : now);
        ofSenders.forEach(sender -> sender.claims.signal());
        read();
        retention.signal();
        runner.signal();
    }
}
