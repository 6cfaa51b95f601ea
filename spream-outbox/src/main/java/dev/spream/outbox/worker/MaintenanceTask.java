package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxStore;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The maintenance of a worker, on a thread of its own: keeps the leases of its segments, ends entries that have
 * expired, and keeps its registration for notifications.
 */
final class MaintenanceTask {
    private static final int EXPIRE_AT_ONCE = 500;

    private final WorkerStore store;
    private final OutboxStore.Watcher watcher;
    private final OutboxSegmentKeeper segments;
    private final CircuitBreaker breaker;
    private final WorkerEvents events;
    private final RandomGenerator random;
    private final WorkerSignals signals;
    private final long sweepEvery;
    private final long every;
    private volatile boolean stopped;
    private OutboxStore.@Nullable Watch watch; // confined to the thread, until it has ended

    /** @param watcher registered with the store */
    MaintenanceTask(
            WorkerStore store,
            OutboxStore.Watcher watcher,
            OutboxSegmentKeeper segments,
            CircuitBreaker breaker,
            OutboxWorkerOptions options,
            WorkerEvents events,
            RandomGenerator random,
            WorkerSignals signals) {
        this.store = store;
        this.watcher = watcher;
        this.segments = segments;
        this.breaker = breaker;
        this.events = events;
        this.random = random;
        this.signals = signals;
        this.sweepEvery = options.sweepNanos();
        this.every = Math.min(options.lease().toNanos() / 4, sweepEvery);
    }

    void stop() {
        stopped = true;
        signals.maintenance.signal();
    }

    void run() throws InterruptedException {
        long nextSweep = signals.now();
        while (!stopped) {
            if (signals.isRunning()) {
                keepWatch();
            }
            maintainSegments();
            if (signals.now() - nextSweep >= 0 && signals.isRunning()) {
                expire();
                nextSweep = signals.now() + sweepEvery / 2 + random.nextLong(sweepEvery);
            }
            signals.maintenance.await(Math.min(every, untilProbe()));
        }
    }

    private void keepWatch() {
        if (watch == null) {
            try {
                watch = store.watch(watcher);
            } catch (StorageException e) {
                // Already reported; retried in the next round. Until then, polls find new entries.
            }
        }
    }

    /**
     * Renews or claims segments; while the circuit breaker is open, releases them to other workers, which may reach the
     * receiver. Segments are claimed again for a probe.
     */
    private void maintainSegments() {
        if (breaker.allowance(signals.now()) == 0) {
            segments.releaseAll();
            return;
        }
        segments.hold();
        signals.reader.signal();
    }

    private long untilProbe() {
        long pause = breaker.pauseLeft(signals.now());
        return pause > 0 ? pause : Long.MAX_VALUE;
    }

    private void expire() {
        try {
            int expired;
            do {
                expired = store.expire(EXPIRE_AT_ONCE);
                if (expired > 0) {
                    int entries = expired;
                    events.publish(listener -> listener.expired(entries));
                }
            } while (expired >= EXPIRE_AT_ONCE && !stopped);
        } catch (StorageException e) {
            // Already reported; retried in the next round.
        }
    }

    /** Releases the segments and the registration. Called after its thread has ended. */
    void leave() {
        if (watch != null) {
            watch.close();
        }
        segments.leave();
    }
}
