package dev.spream.storage.spanner;

import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Records the rows on which transactions have timed out, as parts of which at least one row was locked. A row is
 * removed when it was written, or when no write has waited for its part for a while. Safe for use by many threads.
 */
final class LockedRows {
    private static final int SINGLES = 32;

    private final Map<PartitionToken, Part> parts = new ConcurrentHashMap<>();
    private final Duration lapse;
    private final LongSupplier nanoTime;

    /** @param lapse the time for which a part is kept after the last write that waited for it */
    LockedRows(Duration lapse, LongSupplier nanoTime) {
        this.lapse = lapse;
        this.nanoTime = nanoTime;
    }

    /**
     * Rows of which at least one was locked.
     *
     * @param rows the number of rows
     * @param failures the number of writes of them that timed out, including those of larger parts
     * @param at the time at which the last write failed
     */
    record Part(int rows, int failures, long at) {

        /**
         * Returns the number of rows of the next write. One row of n is found in twice the square root of n writes, of
         * which two wait.
         */
        int piece() {
            return rows <= SINGLES ? 1 : (int) Math.ceil(Math.sqrt(rows));
        }

        /** Returns whether it is a single row, and a write of it has failed since that time. */
        boolean isOneSince(long moment) {
            return rows == 1 && at - moment > 0;
        }
    }

    /** Returns the part that the row belongs to; empty if it counts as free. */
    Optional<Part> part(PartitionToken row) {
        return Optional.ofNullable(parts.get(row)).filter(part -> !hasLapsed(part));
    }

    /** Records that a write of these rows has timed out. */
    void waited(Collection<PartitionToken> rows) {
        parts.values().removeIf(this::hasLapsed);
        Part part = new Part(rows.size(), failures(rows) + 1, nanoTime.getAsLong());
        rows.forEach(row -> parts.put(row, part));
    }

    void committed(Collection<PartitionToken> rows) {
        rows.forEach(parts::remove);
    }

    boolean any(Collection<PartitionToken> rows) {
        return rows.stream().anyMatch(row -> part(row).isPresent());
    }

    /**
     * Returns whether one of the rows is in a part whose pieces are smaller than this set, so that writing all of them
     * would wait again.
     */
    boolean anyInSmallerPiece(Collection<PartitionToken> rows) {
        return rows.stream().flatMap(row -> part(row).stream()).anyMatch(part -> part.piece() < rows.size());
    }

    /** Returns the number of writes that timed out on one of these rows. */
    int failures(Collection<PartitionToken> rows) {
        return rows.stream()
                .flatMap(row -> part(row).stream())
                .mapToInt(Part::failures)
                .max()
                .orElse(0);
    }

    private boolean hasLapsed(Part part) {
        return nanoTime.getAsLong() - part.at() > lapse.toNanos();
    }

    int size() {
        return parts.size();
    }
}
