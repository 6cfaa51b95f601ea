package dev.spream.storage.spanner;

import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.PartitionToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;

/**
 * A write that deals with each of many partitions for itself, in as few transactions as go through: at most so many rows each,
 * rows that were locked before apart, and halves of one that waits for a locked row, until what is left is that row. It searches
 * for as long as a call may take; what is not found by then counts as locked. Used once, by one thread.
 */
final class DividedWrite<E, T> {
    private final GroupWriter writer;
    private final Function<E, PartitionToken> token;
    private final Function<List<E>, WriteOperation<T>> operation;
    private final List<T> results = new ArrayList<>();
    private final Set<PartitionToken> busy = new LinkedHashSet<>();
    private OptionalLong searchingSince = OptionalLong.empty();

    DividedWrite(
            GroupWriter writer, Function<E, PartitionToken> token, Function<List<E>, WriteOperation<T>> operation) {
        this.writer = writer;
        this.token = token;
        this.operation = operation;
    }

    DividedWrite<E, T> run(Collection<E> batch) {
        List<E> free = new ArrayList<>();
        List<E> lockedBefore = new ArrayList<>();
        batch.forEach(one -> (writer.isLocked(token.apply(one)) ? lockedBefore : free).add(one));
        writeParts(free, false);
        writeParts(lockedBefore, true);
        return this;
    }

    /** What the transactions that went through came to. */
    List<T> results() {
        return results;
    }

    void requireNoneBusy(String what, Set<PartitionToken> lost) {
        if (!busy.isEmpty()) {
            throw new BusyPartitionsException(
                    "%s: another transaction has locked the rows of %d of them, such as %s; the others are done, and these are tried again"
                            .formatted(what, busy.size(), busy.iterator().next().abbreviated()),
                    busy,
                    lost);
        }
    }

    private void writeParts(List<E> all, boolean suspect) {
        for (int from = 0; from < all.size(); from += GroupWriter.MAX_ROWS) {
            write(all.subList(from, Math.min(from + GroupWriter.MAX_ROWS, all.size())), suspect);
        }
    }

    private void write(List<E> part, boolean suspect) {
        WriteOperation<T> whole = operation.apply(part);
        try {
            results.add(writer.write(suspect ? whole.onSuspects() : whole));
        } catch (LockedRowsException e) {
            if (part.size() == 1 || isOverdue()) {
                part.forEach(one -> busy.add(token.apply(one)));
                return;
            }
            write(part.subList(0, part.size() / 2), true);
            write(part.subList(part.size() / 2, part.size()), true);
        }
    }

    private boolean isOverdue() {
        long now = System.nanoTime();
        if (searchingSince.isEmpty()) {
            searchingSince = OptionalLong.of(now);
        }
        return now - searchingSince.getAsLong() > writer.callTimeout().toNanos();
    }
}
