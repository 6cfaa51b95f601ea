package dev.spream.outbox.worker;

import static java.util.stream.Collectors.joining;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxStore;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The maintenance of a worker, on a thread of its own: keeps the leases of its segments, ends entries that have
 * expired, reports entries without a sender, and keeps its registration for notifications.
 */
final class MaintenanceTask {
    private static final Logger log = LoggerFactory.getLogger(MaintenanceTask.class);

    private final WorkerStore store;
    private final OutboxStore.Watcher watcher;
    private final OutboxSegmentKeeper segments;
    private final Map<String, CircuitBreakerEvents> senders;
    private final WorkerEvents events;
    private final RandomGenerator random;
    private final WorkerSignals signals;
    private final long sweepEvery;
    private final long every;
    private volatile boolean stopped;
    private OutboxStore.@Nullable Watch watch; // confined to the thread
    private Set<String> unserved = Set.of(); // confined to the thread

    /**
     * @param watcher registered with the store
     * @param senders the circuit breakers of the senders, by destination
     */
    MaintenanceTask(
            WorkerStore store,
            OutboxStore.Watcher watcher,
            OutboxSegmentKeeper segments,
            Map<String, CircuitBreakerEvents> senders,
            OutboxWorkerOptions options,
            WorkerEvents events,
            RandomGenerator random,
            WorkerSignals signals) {
        this.store = store;
        this.watcher = watcher;
        this.segments = segments;
        this.senders = senders;
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
        try {
            maintain();
        } finally {
            if (watch != null) {
                watch.close();
            }
        }
    }

    private void maintain() throws InterruptedException {
        long nextSweep = signals.now();
        while (!stopped) {
            if (signals.isRunning()) {
                keepWatch();
            }
            maintainSegments();
            if (signals.now() - nextSweep >= 0 && signals.isRunning()) {
                expire();
                reportUnserved();
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
     * Renews or claims segments; while the circuit breakers of all senders are open, releases them to other workers, which
     * may reach the receivers. Segments are claimed again for a probe.
     */
    private void maintainSegments() {
        if (breakers().allMatch(breaker -> breaker.allowance(signals.now()) == 0)) {
            segments.releaseAll();
            return;
        }
        segments.hold();
        signals.read();
    }

    private Stream<CircuitBreaker> breakers() {
        return senders.values().stream().map(CircuitBreakerEvents::breaker);
    }

    private long untilProbe() {
        return breakers()
                .mapToLong(breaker -> breaker.pauseLeft(signals.now()))
                .filter(pause -> pause > 0)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    private void expire() {
        try {
            while (store.expire() && !stopped) {
                // more may have expired
            }
        } catch (StorageException e) {
            // Already reported; retried in the next round.
        }
    }

    /** Logs destinations of entries for which this worker has no sender, each time that there are others. */
    private void reportUnserved() {
        Set<String> found;
        try {
            found = new TreeSet<>(store.destinations());
        } catch (StorageException e) {
            return; // already reported; retried in the next round
        }
        found.removeAll(senders.keySet());
        if (!found.isEmpty() && !found.equals(unserved)) {
            log.warn(
                    "[{}] this worker has no sender for entries of the destinations {}; they stay pending until a worker"
                            + " has one, and those with an ordering key while this worker holds the segments of their keys; give"
                            + " each worker the senders of ordered entries",
                    events.name(),
                    found.stream()
                            .map(destination -> destination.isEmpty() ? "(none)" : destination)
                            .collect(joining(", ")));
        }
        unserved = found;
    }

    /** Releases the segments. Called after its thread has ended. */
    void leave() {
        segments.leave();
    }
}
