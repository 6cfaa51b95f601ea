package dev.spream.outbox.worker;

import dev.spream.core.DurationText;
import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxHistory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes old rows while a worker runs, on a thread of its own: in rounds about once a minute, of small steps that
 * continue while each step removes enough rows. Between two steps it waits for as long as the last one took, so that it
 * occupies a connection at most half of the time. Several workers do this concurrently without waiting for each other.
 */
final class Retention {
    static final int STEP = 500;

    /** The number of removed rows below which a step ends the round. */
    private static final int MUCH = STEP / 10;

    private static final long ROUND = TimeUnit.MINUTES.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    private final WorkerStore store;
    private final WorkerEvents events;
    private final RandomGenerator random;
    private final WorkerSignals signals;
    private final long longestStart;
    private final Map<OutboxHistory, Duration> ages = new EnumMap<>(OutboxHistory.class);

    Retention(
            WorkerStore store,
            OutboxWorkerOptions options,
            WorkerEvents events,
            RandomGenerator random,
            WorkerSignals signals) {
        this.store = store;
        this.events = events;
        this.random = random;
        this.signals = signals;
        this.longestStart = Math.min(ROUND, options.sweepNanos());
        limit(OutboxHistory.ENTRIES, options.entryRetention());
        limit(OutboxHistory.LEDGER, options.ledgerRetention());
        limit(OutboxHistory.AUDIT, options.auditRetention());
    }

    private void limit(OutboxHistory part, Duration age) {
        if (!age.isZero()) {
            ages.put(part, age);
        }
    }

    void run() throws InterruptedException {
        if (ages.isEmpty()) {
            return;
        }
        log.info("[{}] the outbox worker removes {}", events.name(), ages());
        long pause = random.nextLong(longestStart);
        while (isRunningAfter(pause)) {
            for (Map.Entry<OutboxHistory, Duration> part : ages.entrySet()) {
                removeOld(part.getKey(), part.getValue());
            }
            pause = ROUND / 2 + random.nextLong(ROUND);
        }
    }

    private String ages() {
        return ages.entrySet().stream()
                .map(part -> part.getKey().text() + " after " + DurationText.of(part.getValue()))
                .collect(Collectors.joining(", "));
    }

    private boolean isRunningAfter(long pause) throws InterruptedException {
        if (signals.isRunning()) {
            signals.retention.await(pause);
        }
        return signals.isRunning();
    }

    private void removeOld(OutboxHistory part, Duration age) throws InterruptedException {
        int removed;
        long took = 0;
        do {
            if (!isRunningAfter(took)) {
                return;
            }
            long begun = signals.now();
            try {
                removed = store.removeOld(part, age, STEP);
            } catch (StorageException e) {
                return; // already reported; retried in the next round
            }
            took = signals.now() - begun;
            if (removed > 0) {
                int rows = removed;
                log.debug("[{}] {} {} removed", events.name(), rows, part.text());
                events.publish(listener -> listener.removed(part, rows));
            }
        } while (removed >= MUCH);
    }
}
