package dev.spream.storage.spanner.source;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of a snapshot as this process sees it: the furthest row that it has read of each table, and an estimate
 * of their number. Logs a line at most every ten seconds. Safe for use by many threads.
 */
final class SnapshotProgress {
    private static final Logger log = LoggerFactory.getLogger(TableSnapshots.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final String stream;
    private final InstantSource time;
    private final Map<String, Long> furthest = new ConcurrentHashMap<>();
    private final Map<String, Long> estimates = new ConcurrentHashMap<>();
    private final AtomicLong rowsRead = new AtomicLong();

    /** Guarded by this, like the following. */
    private @Nullable Instant firstRead;

    private Instant lastLine = Instant.MIN;
    private boolean warned;

    SnapshotProgress(String stream, InstantSource time) {
        this.stream = stream;
        this.time = time;
    }

    void estimate(String table, long rows) {
        estimates.put(table, rows);
    }

    /** Notes rows that were read, and logs a line if the last one is old enough. */
    void read(String table, long upTo, long rows, Instant snapshotTime, Duration versionRetention) {
        furthest.merge(table, upTo, Math::max);
        rowsRead.addAndGet(rows);
        report(snapshotTime, versionRetention);
    }

    private synchronized void report(Instant snapshotTime, Duration versionRetention) {
        Instant now = time.instant();
        Instant first = firstRead;
        if (first == null) {
            firstRead = now;
            lastLine = now;
            return;
        }
        if (Duration.between(lastLine, now).compareTo(INTERVAL) < 0) {
            return;
        }
        lastLine = now;
        long done = furthest.values().stream().mapToLong(Long::longValue).sum();
        OptionalLong total = total();
        log.info(
                "[{}] snapshot as of {}: {} rows of {} read",
                stream,
                snapshotTime,
                done,
                total.isPresent() ? "about " + total.getAsLong() : "an unknown number");
        if (total.isPresent()) {
            warnIfLate(snapshotTime, versionRetention, first, now, total.getAsLong() - done);
        }
    }

    private OptionalLong total() {
        return estimates.keySet().containsAll(furthest.keySet())
                ? OptionalLong.of(
                        estimates.values().stream().mapToLong(Long::longValue).sum())
                : OptionalLong.empty();
    }

    private void warnIfLate(Instant snapshotTime, Duration versionRetention, Instant first, Instant now, long left) {
        double seconds = Duration.between(first, now).toMillis() / 1e3;
        double secondsLeft = left * seconds / Math.max(1, rowsRead.get());
        Instant end = now.plusSeconds((long) Math.max(0, secondsLeft));
        if (!warned && end.isAfter(snapshotTime.plus(versionRetention))) {
            warned = true;
            log.warn(
                    "[{}] the snapshot may end about {}, and the database keeps rows as of {} for {} only: raise its version_retention_period now (up to 7d), and the retention_period of the change stream if that is shorter, or the snapshot fails then",
                    stream,
                    end,
                    snapshotTime,
                    DurationText.of(versionRetention));
        }
    }
}
