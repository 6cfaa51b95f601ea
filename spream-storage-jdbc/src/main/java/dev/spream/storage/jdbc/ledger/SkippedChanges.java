package dev.spream.storage.jdbc.ledger;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of changes that a ledger did not apply because they were committed before its {@code settled_below}, at most
 * a line a minute. This is correct for changes that are delivered again, but a loss if two subscriptions share the
 * ledger. Safe for use by many threads.
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
                    "[{}] {} changes so far had no effect: they were committed before {}, and the ledger counts all changes before that time as settled. This is expected where a worker lost its lease, or a subscription reads changes again. It is a loss where two subscriptions share this ledger, or a later start skipped changes: then stop, empty the tables that the changes are applied to, and read them again from the start with a new ledger name",
                    ledger,
                    all,
                    settledBelow);
        }
    }
}
