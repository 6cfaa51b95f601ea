package dev.spream.storage.jdbc.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs how many changes were taken as settled because of their time alone, at a limited rate: that is right when they
 * come again, and a loss where the ledger is another's. Safe for use by many threads.
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
                    "[{}] {} changes so far are from before {}, which the ledger has as settled, and had no effect. That is right for a worker that lost its lease, and for a subscription that reads again what it has read. If another subscription uses this ledger, or this one left something out before, name another ledger and empty what this one has filled",
                    ledger,
                    all,
                    settledBelow);
        }
    }
}
