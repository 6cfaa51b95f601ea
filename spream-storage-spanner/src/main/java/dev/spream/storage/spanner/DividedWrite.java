package dev.spream.storage.spanner;

import dev.spream.core.StorageException;
import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.spanner.client.LockedRowsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A write of many independent partitions, in as few transactions as possible. Rows that count as free are written
 * together; a part in which a row was locked is written in smaller pieces, until the locked row is found. The parts are
 * shared by the calls of all threads. A call ends after half of its time limit; rows that are not written by then count
 * as busy, and the next call continues with them. Used once, by one thread.
 */
final class DividedWrite<E, T> {
    private final GroupWriter writer;
    private final Function<E, PartitionToken> token;
    private final Function<List<E>, WriteOperation<T>> operation;
    private final List<T> results = new ArrayList<>();
    private final Set<PartitionToken> busy = new LinkedHashSet<>();
    private final long begun = System.nanoTime();
    private final Duration limit;
    private String failure = "";

    DividedWrite(
            GroupWriter writer, Function<E, PartitionToken> token, Function<List<E>, WriteOperation<T>> operation) {
        this(writer, writer.timeForParts(), token, operation);
    }

    /** @param limit the time after which no further part is begun, once one has waited */
    DividedWrite(
            GroupWriter writer,
            Duration limit,
            Function<E, PartitionToken> token,
            Function<List<E>, WriteOperation<T>> operation) {
        this.writer = writer;
        this.limit = limit;
        this.token = token;
        this.operation = operation;
    }

    DividedWrite<E, T> run(Collection<E> batch) {
        Set<E> open = new LinkedHashSet<>(batch);
        while (!open.isEmpty()) {
            write(open);
            if (!failure.isEmpty() && left().isZero()) {
                leave(open);
            }
        }
        return this;
    }

    List<T> results() {
        return results;
    }

    Set<PartitionToken> busy() {
        return busy;
    }

    void requireNoneBusy(String what, Set<PartitionToken> lost) {
        if (!busy.isEmpty()) {
            throw new BusyPartitionsException(
                    "%s: %d partitions, such as %s, were not written because rows are locked; the others are written, and these are retried: %s"
                            .formatted(what, busy.size(), busy.iterator().next().abbreviated(), failure),
                    busy,
                    lost);
        }
    }

    /** Writes a part of the open rows, and removes those that are written or busy. */
    private void write(Set<E> open) {
        List<E> part = nextPart(open);
        try {
            requireNotLockedSince(part);
            results.add(resultOf(part));
            part.forEach(open::remove);
        } catch (LockedRowsException e) {
            failure = String.valueOf(e.getMessage());
            if (part.size() == 1) {
                part.forEach(open::remove);
                leave(new ArrayList<>(part));
            }
        } catch (StorageException e) {
            if (results.isEmpty() || !e.retryable()) {
                throw e;
            }
            failure = String.valueOf(e.getMessage());
            leave(open);
        }
    }

    /**
     * Writes the part. Writes of free rows are fast; pieces that were locked are written one at a time, those of other
     * calls too.
     */
    private T resultOf(List<E> part) {
        WriteOperation<T> write = operation.apply(part);
        return isLocked(part) ? writer.write(write, left()) : writer.write(write);
    }

    private boolean isLocked(List<E> part) {
        return writer.lockedRows().part(token.apply(part.getFirst())).isPresent();
    }

    private Duration left() {
        Duration left = limit.minusNanos(System.nanoTime() - begun);
        return left.isPositive() ? left : Duration.ZERO;
    }

    /** Fails if another call has waited for the same row since this one began, so that it is not waited for again. */
    private void requireNotLockedSince(List<E> part) {
        if (writer.lockedRows()
                .part(token.apply(part.getFirst()))
                .filter(of -> of.isOneSince(begun))
                .isPresent()) {
            throw new LockedRowsException(
                    "the row of partition %s was not written: it was locked during another call; the write can be repeated"
                            .formatted(token.apply(part.getFirst()).abbreviated()),
                    null);
        }
    }

    private void leave(Collection<E> untouched) {
        untouched.forEach(one -> busy.add(token.apply(one)));
        untouched.clear();
    }

    /**
     * Returns the free rows first, then a piece of the largest part, and among equal parts of the one that has waited
     * longest.
     */
    private List<E> nextPart(Set<E> open) {
        Map<Optional<LockedRows.Part>, List<E>> parts = open.stream()
                .collect(Collectors.groupingBy(
                        one -> writer.lockedRows().part(token.apply(one)), LinkedHashMap::new, Collectors.toList()));
        List<E> free = parts.remove(Optional.<LockedRows.Part>empty());
        if (free != null) {
            return first(free, GroupWriter.MAX_ROWS);
        }
        var next = parts.entrySet().stream()
                .max(Comparator.comparingInt((Map.Entry<Optional<LockedRows.Part>, List<E>> part) ->
                                part.getValue().size())
                        .thenComparingLong(part -> -part.getKey().orElseThrow().at()))
                .orElseThrow();
        return first(next.getValue(), next.getKey().orElseThrow().piece());
    }

    private static <E> List<E> first(List<E> all, int count) {
        return List.copyOf(all.subList(0, Math.min(count, all.size())));
    }
}
