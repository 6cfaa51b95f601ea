package dev.spream.testkit.memory;

import dev.spream.outbox.OutboxSegmentLease;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The entries of an {@link InMemoryOutbox}, and their indexes. Guarded by its memory. */
final class EntryTable {
    private static final Comparator<StoredEntry> BY_TIME =
            Comparator.comparing(StoredEntry::dueAt).thenComparingLong(StoredEntry::id);

    private final NavigableMap<Long, StoredEntry> all = new TreeMap<>();
    private final Map<String, StoredEntry> byKey = new HashMap<>();
    private final NavigableMap<Long, StoredEntry> unsettled = new TreeMap<>();

    /** Unsettled entries without an ordering key, by due time. */
    private final NavigableSet<StoredEntry> free = new TreeSet<>(BY_TIME);

    private final Map<Integer, NavigableMap<Long, StoredEntry>> segments = new HashMap<>();
    private final Map<OrderingKey, NavigableMap<Long, StoredEntry>> orderingKeys = new HashMap<>();

    private record OrderingKey(String destination, String key) {}

    void add(StoredEntry entry) {
        all.put(entry.id(), entry);
        byKey.put(entry.key(), entry);
        index(entry);
    }

    void remove(StoredEntry entry) {
        unindex(entry);
        byKey.remove(entry.key());
        all.remove(entry.id());
    }

    /** Changes an entry and updates the indexes. */
    void edit(StoredEntry entry, Runnable change) {
        unindex(entry);
        try {
            change.run();
        } finally {
            index(entry);
        }
    }

    private void index(StoredEntry entry) {
        if (entry.status().isSettled()) {
            return;
        }
        unsettled.put(entry.id(), entry);
        entry.orderingKey()
                .ifPresentOrElse(
                        key -> {
                            segment(OutboxSegmentLease.segmentOf(key)).put(entry.id(), entry);
                            orderingKey(entry.destination(), key).put(entry.id(), entry);
                        },
                        () -> free.add(entry));
    }

    private void unindex(StoredEntry entry) {
        unsettled.remove(entry.id());
        entry.orderingKey()
                .ifPresentOrElse(
                        key -> {
                            segment(OutboxSegmentLease.segmentOf(key)).remove(entry.id());
                            orderingKey(entry.destination(), key).remove(entry.id());
                        },
                        () -> free.remove(entry));
    }

    private NavigableMap<Long, StoredEntry> segment(int segment) {
        return segments.computeIfAbsent(segment, created -> new TreeMap<>());
    }

    private NavigableMap<Long, StoredEntry> orderingKey(String destination, String key) {
        return orderingKeys.computeIfAbsent(new OrderingKey(destination, key), created -> new TreeMap<>());
    }

    Optional<StoredEntry> find(long id) {
        return Optional.ofNullable(all.get(id));
    }

    Optional<StoredEntry> find(String key) {
        return Optional.ofNullable(byKey.get(key));
    }

    /** Returns all entries, in the order of their ids. */
    Collection<StoredEntry> all() {
        return all.values();
    }

    /** Returns the unsettled entries, in the order of their ids. */
    Collection<StoredEntry> unsettled() {
        return unsettled.values();
    }

    /** Returns due entries of a destination without an ordering key, those due longest first. */
    List<StoredEntry> due(String destination, Instant now, int limit) {
        return free(destination)
                .takeWhile(entry -> !entry.dueAt().isAfter(now))
                .filter(entry -> entry.isDue(now))
                .limit(limit)
                .toList();
    }

    /** Returns when the next entry of a destination without an ordering key is due that is not due yet. */
    Optional<Instant> nextDue(String destination, Instant now) {
        return free(destination)
                .filter(entry ->
                        entry.isWaiting() && !entry.isParked() && entry.dueAt().isAfter(now))
                .findFirst()
                .map(StoredEntry::dueAt);
    }

    private Stream<StoredEntry> free(String destination) {
        return free.stream().filter(entry -> entry.destination().equals(destination));
    }

    Stream<StoredEntry> segment(int segment, String destination, long afterId) {
        return segment(segment).tailMap(afterId, false).values().stream()
                .filter(entry -> entry.destination().equals(destination));
    }

    Stream<StoredEntry> ofOrderingKey(String destination, String key) {
        return orderingKey(destination, key).values().stream();
    }

    /**
     * Returns whether an earlier entry of the destination and ordering key is not settled, or a later one is being sent, which is
     * possible after a requeue by an operator.
     */
    boolean waitsForAnother(StoredEntry entry, Instant now) {
        return entry.orderingKey()
                .map(key -> orderingKey(entry.destination(), key))
                .filter(ofKey -> !ofKey.headMap(entry.id()).isEmpty()
                        || ofKey.tailMap(entry.id(), false).values().stream().anyMatch(later -> later.isLeased(now)))
                .isPresent();
    }
}
