package dev.spream.spring.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.outbox.worker.OutboxWorker;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The outbox worker of an application. It starts with the application context, and drains when that is closed: claiming
 * stops, attempts in progress finish and are settled. Safe for use by many threads.
 */
public final class OutboxWorkers implements SmartLifecycle {
    /** The phase of the life cycle: after the web server, and before it at the end. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

    private static final Logger log = LoggerFactory.getLogger(OutboxWorkers.class);

    private final Supplier<OutboxWorker> workers;
    private final Duration shutdownTimeout;
    private @Nullable OutboxWorker worker; // guarded by this
    private volatile @Nullable Throwable failure;

    /**
     * @param workers creates the worker of each start
     * @param shutdownTimeout the time within which a worker ends; attempts are interrupted before its last quarter
     */
    public OutboxWorkers(Supplier<OutboxWorker> workers, Duration shutdownTimeout) {
        this.workers = requireNonNull(workers, "workers");
        this.shutdownTimeout = requireNonNull(shutdownTimeout, "shutdownTimeout");
    }

    @Override
    public synchronized void start() {
        if (worker == null) {
            failure = null;
            OutboxWorker started = workers.get();
            worker = started;
            Thread.ofPlatform().name("spream-outbox").daemon(true).start(() -> run(started));
        }
    }

    private void run(OutboxWorker started) {
        try {
            started.run();
        } catch (RuntimeException | Error e) {
            failure = e;
            log.error(
                    "the outbox worker has failed; entries stay pending until it is started again",
                    LoggedFailure.of(e));
        }
    }

    /** Returns the failure with which the worker ended, if it did. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public void stop() {
        OutboxWorker stopping = taken();
        if (stopping != null) {
            stopping.shutdown(shutdownTimeout);
        }
    }

    private synchronized @Nullable OutboxWorker taken() {
        OutboxWorker stopping = worker;
        worker = null;
        return stopping;
    }

    @Override
    public void stop(Runnable callback) {
        Thread.ofPlatform().name("spream-outbox-drain").daemon(true).start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
