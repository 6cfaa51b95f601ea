package dev.spream.storage.spanner;

import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The memory of a writer about rows for which a transaction has waited in vain: in which part of them at least one was locked,
 * until all of the part went through, or no write has waited for it for a while. Safe for use by many threads.
 */
final class LockedRows {
    private static final int SINGLES = 32;

    private final Map<PartitionToken, Part> parts = new ConcurrentHashMap<>();
    private final Duration lapse;
    private final LongSupplier nanoTime;

    /** @param lapse how long a part is remembered after the last write that waited for it */
    LockedRows(Duration lapse, LongSupplier nanoTime) {
        this.lapse = lapse;
        this.nanoTime = nanoTime;
    }

    /**
     * Rows of which at least one was locked.
     *
     * @param rows how many
     * @param failures how often a write of them has waited in vain, that of larger parts included
     * @param at when the last write failed
     */
    record Part(int rows, int failures, long at) {

        /** How many of them the next write takes: one of n is found in twice the square root of n writes, of which two wait. */
        int piece() {
            return rows <= SINGLES ? 1 : (int) Math.ceil(Math.sqrt(rows));
        }

        /** Returns whether it is one row, and a write of it has failed since that moment. */
        boolean isOneSince(long moment) {
            return rows == 1 && at - moment > 0;
        }
    }

    /** The part that the row belongs to; empty if it counts as free. */
    Optional<Part> part(PartitionToken row) {
        return Optional.ofNullable(parts.get(row)).filter(part -> !hasLapsed(part));
    }

    /** A write of these rows has waited in vain. */
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
     * Returns whether one of them is in a part whose pieces are smaller than this, so that writing all of them would wait
     * again.
     */
    boolean anyInSmallerPiece(Collection<PartitionToken> rows) {
        return rows.stream().flatMap(row -> part(row).stream()).anyMatch(part -> part.piece() < rows.size());
    }

    /** How often writes have waited in vain for one of these rows. */
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
