package dev.spream.storage.spanner.source;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of a snapshot in the tables that this process reads: the furthest row of each, and an estimate of their
 * number. Logs a line at most every ten seconds. Safe for use by many threads.
 *
 * <p>The furthest row of a table shows what other processes have read of it too, and what was read before a restart. A table
 * that this process does not read is not counted.
 */
final class SnapshotProgress {
    private static final Logger log = LoggerFactory.getLogger(TableSnapshots.class);
    private static final Duration INTERVAL = Duration.ofSeconds(10);

    private final String stream;
    private final InstantSource time;

    // Guarded by this.
    private final Map<String, Reached> tables = new HashMap<>();
    private final Map<String, Long> estimates = new HashMap<>();
    private @Nullable Instant lastLine;
    private boolean warned;

    /** The progress in a table: the row and time at which this process began, the furthest row and the time of the last read. */
    private record Reached(long firstRow, Instant firstRead, long row, Instant lastRead) {
        Reached with(long upTo, Instant now) {
            return new Reached(firstRow, firstRead, Math.max(row, upTo), now);
        }

        /** Returns when the table is read at the rate up to now; empty if that is not known. */
        Optional<Instant> end(long rows) {
            double seconds = Duration.between(firstRead, lastRead).toMillis() / 1e3;
            long read = row - firstRow;
            return read <= 0 || seconds <= 0
                    ? Optional.empty()
                    : Optional.of(lastRead.plusSeconds((long) Math.max(0, (rows - row) * seconds / read)));
        }
    }

    SnapshotProgress(String stream, InstantSource time) {
        this.stream = stream;
        this.time = time;
    }

    synchronized void estimate(String table, long rows) {
        estimates.put(table, rows);
    }

    /** Notes rows that were read, and logs a line if the last one is old enough. */
    synchronized void read(String table, long upTo, Instant snapshotTime, Duration versionRetention) {
        Instant now = time.instant();
        Reached before = tables.get(table);
        tables.put(table, before == null ? new Reached(upTo, now, upTo, now) : before.with(upTo, now));
        if (lastLine == null) {
            lastLine = now;
        } else if (Duration.between(lastLine, now).compareTo(INTERVAL) >= 0) {
            lastLine = now;
            report(snapshotTime);
            warnIfLate(snapshotTime, versionRetention, now);
        }
    }

    private void report(Instant snapshotTime) {
        OptionalLong total = total();
        log.info(
                "[{}] snapshot as of {}: {} rows of {} read in the {} tables that this process reads",
                stream,
                snapshotTime,
                tables.values().stream().mapToLong(Reached::row).sum(),
                total.isPresent() ? "about " + total.getAsLong() : "an unknown number",
                tables.size());
    }

    private OptionalLong total() {
        return estimates.keySet().containsAll(tables.keySet())
                ? OptionalLong.of(estimates.entrySet().stream()
                        .filter(estimate -> tables.containsKey(estimate.getKey()))
                        .mapToLong(Map.Entry::getValue)
                        .sum())
                : OptionalLong.empty();
    }

    private void warnIfLate(Instant snapshotTime, Duration versionRetention, Instant now) {
        Optional<Instant> end = warned ? Optional.empty() : end(now);
        if (end.filter(snapshotTime.plus(versionRetention)::isBefore).isPresent()) {
            warned = true;
            log.warn(
                    "[{}] the snapshot may end about {}, and the database keeps rows as of {} for {} only: raise its version_retention_period now (up to 7d), and the retention_period of the change stream if that is shorter, or the snapshot fails then",
                    stream,
                    end.get(),
                    snapshotTime,
                    DurationText.of(versionRetention));
        }
    }

    /** Returns the latest end of the tables that were read a short time ago; the others may be finished by other processes. */
    private Optional<Instant> end(Instant now) {
        return tables.entrySet().stream()
                .filter(table ->
                        Duration.between(table.getValue().lastRead(), now).compareTo(INTERVAL) < 0)
                .flatMap(table ->
                        Optional.ofNullable(estimates.get(table.getKey())).flatMap(table.getValue()::end).stream())
                .max(Instant::compareTo);
    }
}
