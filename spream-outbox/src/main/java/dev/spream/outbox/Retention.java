package dev.spream.outbox;

import dev.spream.core.DurationText;
import dev.spream.core.StorageException;
import dev.spream.core.internal.Alarm;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what is over and old while a worker runs, on a thread of its own: in small steps, about once a minute, and without
 * end only as long as each step finds much. Between two steps it waits for as long as the last one took, so that it takes half
 * of a connection's time at most. Workers do so beside each other without waiting for each other.
 */
final class Retention {
    static final int STEP = 500;

    /** A step that finds less ends the round. */
    private static final int MUCH = STEP / 10;

    private static final long ROUND = TimeUnit.MINUTES.toNanos(1);
    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    private final WorkerContext context;
    private final Map<OutboxHistory, Duration> ages = new EnumMap<>(OutboxHistory.class);
    private final Alarm wake;

    Retention(WorkerContext context) {
        OutboxWorkerOptions options = context.options();
        this.context = context;
        this.wake = new Alarm(context.time());
        limit(OutboxHistory.ENTRIES, options.entryRetention());
        limit(OutboxHistory.LEDGER, options.ledgerRetention());
        limit(OutboxHistory.AUDIT, options.auditRetention());
    }

    private void limit(OutboxHistory part, Duration age) {
        if (!age.isZero()) {
            ages.put(part, age);
        }
    }

    /** Has {@link #run} see that the worker is to stop. */
    void hurry() {
        wake.raise();
    }

    /** Works until the worker is told to stop. */
    void run() throws InterruptedException {
        if (ages.isEmpty()) {
            return;
        }
        log.info("[{}] the outbox worker removes {}", context.owner().name(), ages());
        long pause = context.random().nextLong(Math.min(ROUND, Upkeep.sweepEvery(context.options())));
        while (isRunningAfter(pause)) {
            for (Map.Entry<OutboxHistory, Duration> part : ages.entrySet()) {
                removeOld(part.getKey(), part.getValue());
            }
            pause = ROUND / 2 + context.random().nextLong(ROUND);
        }
    }

    private String ages() {
        return ages.entrySet().stream()
                .map(part -> part.getKey().text() + " after " + DurationText.of(part.getValue()))
                .collect(Collectors.joining(", "));
    }

    private boolean isRunningAfter(long pause) throws InterruptedException {
        if (context.stop().isRunning()) {
            wake.await(pause);
        }
        return context.stop().isRunning();
    }

    private void removeOld(OutboxHistory part, Duration age) throws InterruptedException {
        int removed;
        long took = 0;
        do {
            if (!isRunningAfter(took)) {
                return;
            }
            long begun = context.now();
            try {
                removed = context.calls()
                        .call(
                                "removing old " + part.text(),
                                () -> context.store().removeOld(part, age, STEP));
            } catch (StorageException e) {
                return; // told; tried again in the next round
            }
            took = context.now() - begun;
            if (removed > 0) {
                int rows = removed;
                log.debug("[{}] {} {} removed", context.owner().name(), rows, part.text());
                context.listener().tell(listener -> listener.removed(part, rows));
            }
        } while (removed >= MUCH);
    }
}
