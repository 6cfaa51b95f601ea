package dev.spream.storage.jdbc.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the number of changes that counted as settled only because of their time, at a limited rate. This is correct for
 * changes that are delivered again, but a loss if two subscriptions share the ledger. Safe for use by many threads.
 */
final class SkippedChanges {
    private static final Logger log = LoggerFactory.getLogger(SkippedChanges.class);
    private static final long PAUSE = Duration.ofMinutes(1).toNanos();

    private final String ledger;
    private final LongSupplier nanoTime;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong quietUntil;

    SkippedChanges(String ledger, LongSupplier nanoTime) {
        this.ledger = ledger;
        this.nanoTime = nanoTime;
        this.quietUntil = new AtomicLong(nanoTime.getAsLong());
    }

    void add(int skipped, Instant settledBelow) {
        long all = count.addAndGet(skipped);
        long now = nanoTime.getAsLong();
        long until = quietUntil.get();
        if (now - until >= 0 && quietUntil.compareAndSet(until, now + PAUSE)) {
            log.warn(
                    "[{}] {} changes so far are from before {}, which the ledger regards as settled, and had no effect. This is expected for a worker that lost its lease, and for a subscription that reads changes again. If another subscription uses this ledger, or this one skipped changes before, use another ledger and empty the tables that this one has filled",
                    ledger,
                    all,
                    settledBelow);
        }
    }
}
