package dev.spream.outbox.worker;

import dev.spream.core.internal.SectionLock;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Plans the next claims of the entries of one sender that have an ordering key: at most one entry of each key at a time, the first one known.
 * The entries are read ahead from the store and may be outdated; a claim returns only entries that are the first of
 * their key, and the keys of the others are read again. An outdated plan costs a statement and never violates the
 * order. Safe for use by many threads.
 *
 * <p>Memory is bounded: only the first ids of each key are kept, and each segment is read ahead only until enough
 * entries can be claimed. A key that waits, for a backoff or an operator, keeps only its first entry and does not count
 * towards that. Beyond a number of waiting keys, they are dropped and found again by the scan of the segment for late
 * commits.
 */
final class OrderedClaimPlanner {
    /** The number of entries of a segment that are read at a time. */
    static final int PAGE = 128;

    /** The number of entries of a segment that are read at a time by the scan for late commits. */
    static final int LOOK_PAGE = 32;

    private static final int ENOUGH_OF_A_SEGMENT = 64;
    private static final int MAX_DOUBLINGS = 4;

    record Head(String key, long id, OutboxSegmentLease segment) {}

    private final long recheck;
    private final HeldSegments held;
    private final SectionLock lock;

    // Guarded by lock.
    private final SegmentReads segments;
    private final OrderingKeyStates keys;
    private boolean refused;

    /**
     * @param recheckNanos the time after which a key that waits for another worker or an operator is read again
     * @param held the segments of the worker, which have the lock and call {@link #drop}
     */
    OrderedClaimPlanner(long recheckNanos, HeldSegments held) {
        this.recheck = recheckNanos;
        this.held = held;
        this.lock = held.lock();
        this.segments = new SegmentReads(held);
        this.keys = new OrderingKeyStates(segments, held);
    }

    /** Returns the approximate number of entries that could be claimed now. */
    int readyKeys() {
        return keys.readyKeys();
    }

    /** Forgets a segment of which no more entries are claimed. Called under the lock. */
    void drop(int segment) {
        segments.drop(segment);
        for (OrderingKeyQueue queue : keys.all()) {
            if (queue.segment == segment) {
                queue.forget();
                if (queue.state != OrderingKeyQueue.State.BUSY) {
                    keys.remove(queue);
                }
            }
        }
    }

    /**
     * Returns the segments to continue reading, with the id after which to continue.
     *
     * @param again whether to include segments that were read to their end
     */
    Map<Integer, Long> toRead(boolean again) {
        return lock.get(() -> {
            if (keys.isFull()) {
                return Map.of();
            }
            Map<Integer, Long> after = new HashMap<>();
            for (SegmentReads.Segment segment : segments.all()) {
                if (segment.queued < ENOUGH_OF_A_SEGMENT && (again || !segment.atEnd)) {
                    after.put(segment.lease.segment(), segment.readTo);
                }
            }
            return after;
        });
    }

    /** Returns the segments to scan for late commits, with the id after which to continue. */
    Map<Integer, Long> toLookThrough() {
        return lock.get(() -> segments.all().stream()
                .collect(Collectors.toMap(segment -> segment.lease.segment(), segment -> segment.lookedTo)));
    }

    /**
     * Adds entries that were read.
     * @param after the segments and positions that were requested
     * @return whether any entry was new
     */
    boolean read(Map<Integer, Long> after, int perSegment, List<OrderedEntry> entries, long now) {
        return lock.get(() -> {
            Map<Integer, List<OrderedEntry>> bySegment =
                    entries.stream().collect(Collectors.groupingBy(OrderedEntry::segment));
            boolean news = false;
            for (Map.Entry<Integer, Long> asked : after.entrySet()) {
                SegmentReads.Segment segment = segments.find(asked.getKey());
                List<OrderedEntry> found = bySegment.getOrDefault(asked.getKey(), List.of());
                if (segment != null && segment.readTo == asked.getValue()) {
                    segment.atEnd = found.size() < perSegment;
                    segment.readTo =
                            found.isEmpty() ? segment.readTo : found.getLast().id();
                    news |= addAll(found, now);
                }
            }
            return news;
        });
    }

    /**
     * Adds entries that the scan for late commits has read. At the end of a segment the scan restarts from its
     * beginning.
     */
    void lookedThrough(Map<Integer, Long> after, int perSegment, List<OrderedEntry> entries, long now) {
        lock.run(() -> {
            Map<Integer, List<OrderedEntry>> bySegment =
                    entries.stream().collect(Collectors.groupingBy(OrderedEntry::segment));
            for (Integer asked : after.keySet()) {
                SegmentReads.Segment segment = segments.find(asked);
                if (segment != null) {
                    List<OrderedEntry> found = bySegment.getOrDefault(asked, List.of());
                    segment.lookedTo =
                            found.size() < perSegment ? 0 : found.getLast().id();
                    addAll(
                            found.stream()
                                    .filter(entry -> entry.id() <= segment.readTo)
                                    .toList(),
                            now);
                }
            }
        });
    }

    private boolean addAll(List<OrderedEntry> entries, long now) {
        boolean news = false;
        for (OrderedEntry entry : entries) {
            news |= add(entry, now);
        }
        return news;
    }

    private boolean add(OrderedEntry entry, long now) {
        OrderingKeyQueue queue = keys.find(entry.orderingKey());
        if (queue == null) {
            queue = keys.open(entry.orderingKey(), entry.segment());
            queue.ids.add(entry.id());
            placeBy(queue, entry, now);
            return true;
        }
        if (queue.state == OrderingKeyQueue.State.UNCLEAR) {
            return false; // the whole key will be read
        }
        boolean first = queue.ids.isEmpty() || entry.id() <= queue.ids.first();
        int before = queue.ids.size();
        boolean added = queue.add(entry.id());
        if (queue.state != OrderingKeyQueue.State.WAITING) {
            segments.count(queue.segment, queue.ids.size() - before);
        } else if (first && (added || isDue(entry))) {
            placeBy(queue, entry, now);
        } else {
            queue.shrink();
        }
        return added;
    }

    private static boolean isDue(OrderedEntry entry) {
        return !entry.parked() && !entry.dueIn().isPositive();
    }

    /** Sets the state of a key according to its first entry. */
    private void placeBy(OrderingKeyQueue queue, OrderedEntry first, long now) {
        if (isDue(first)) {
            keys.makeReady(queue);
        } else {
            waitAndRead(queue, now, first.parked() ? Long.MAX_VALUE : nanos(first.dueIn()));
        }
    }

    /**
     * Makes a key wait for the stored time of its first entry, with rechecks, since another worker or an operator may
     * finish earlier.
     */
    private void waitAndRead(OrderingKeyQueue queue, long now, long atMost) {
        long delay = recheck << Math.min(queue.failedClaims, MAX_DOUBLINGS);
        boolean isRecheck = delay < atMost;
        queue.failedClaims = isRecheck ? queue.failedClaims + 1 : 0;
        keys.await(queue, now + Math.min(delay, atMost), isRecheck);
    }

    boolean hasStaleKeys() {
        return lock.get(() -> !keys.staleKeys(1).isEmpty());
    }

    /** Returns keys to read again from the store, at most that many. */
    List<String> keysToReread(int limit) {
        return lock.get(() -> keys.staleKeys(limit));
    }

    /**
     * Replaces the known entries of a key by those that were read from its beginning.
     *
     * @param limit the maximum number of entries that was requested
     */
    void reread(String key, int limit, List<OrderedEntry> entries, long now) {
        lock.run(() -> {
            OrderingKeyQueue queue = keys.find(key);
            if (queue == null || queue.state != OrderingKeyQueue.State.UNCLEAR) {
                return;
            }
            if (entries.isEmpty() || !held.contains(queue.segment)) {
                keys.remove(queue);
                return;
            }
            keys.leaveState(queue);
            queue.ids.clear();
            queue.more = false;
            entries.forEach(entry -> queue.add(entry.id()));
            queue.more |= entries.size() >= limit;
            OrderedEntry first = entries.getFirst();
            if (queue.failedClaims > 1 && isDue(first)) {
                keys.await(queue, now + (recheck << Math.min(queue.failedClaims - 2, MAX_DOUBLINGS)), false);
            } else {
                placeBy(queue, first, now);
            }
        });
    }

    /**
     * Returns the entries to claim now, at most one of each key. The keys are busy until {@link #settled}, {@link
     * #lost} or {@link #refused} is called.
     */
    List<Head> take(int limit, long now) {
        return lock.get(() -> {
            keys.releaseDue(now);
            List<Head> heads = new ArrayList<>();
            while (heads.size() < limit) {
                OrderingKeyQueue queue = keys.makeNextBusy();
                if (queue == null) {
                    break;
                }
                SegmentReads.Segment segment = segments.find(queue.segment);
                if (segment == null) {
                    throw new IllegalStateException(
                            "segment %d is not held but has a key to claim".formatted(queue.segment));
                }
                heads.add(new Head(queue.key, queue.busyId, segment.lease));
            }
            return heads;
        });
    }

    /** Returns the time until the wait of the next key ends, in nanoseconds. */
    long nextDue(long now) {
        return lock.get(() -> keys.nextDue(now));
    }

    /** Ends the wait of the keys whose time has come. */
    void releaseDue(long now) {
        lock.run(() -> keys.releaseDue(now));
    }

    /** Records that these entries were not claimed; their keys have to be read again. */
    void refused(Collection<Head> heads) {
        lock.run(() -> heads.forEach(head -> {
            OrderingKeyQueue queue = keys.find(head.key());
            if (queue != null && isBusyWith(queue, head.id())) {
                queue.failedClaims++;
                refused = true;
                keys.markStale(queue);
            }
        }));
    }

    /** Returns whether entries were {@link #refused} since the last call. */
    boolean takeRefusals() {
        return lock.get(() -> {
            boolean were = refused;
            refused = false;
            return were;
        });
    }

    /** Records that a claim was settled in the store. */
    void settled(OutboxClaim claim, Settlement settlement, long now) {
        lock.run(() -> {
            OrderingKeyQueue queue = keys.find(claim.entry().orderingKey().orElseThrow());
            if (queue == null || !isBusyWith(queue, claim.entry().id())) {
                return;
            }
            queue.failedClaims = 0;
            switch (settlement) {
                case Settlement.Succeeded succeeded -> resume(queue);
                case Settlement.Aborted aborted -> resume(queue);
                case Settlement.Released released -> {
                    keys.putBack(queue);
                    keys.makeReady(queue);
                }
                case Settlement.Failed failed -> {
                    keys.putBack(queue);
                    keys.await(queue, now + nanos(untilDueOrExpired(claim, failed)), false);
                }
                case Settlement.Parked parked -> {
                    keys.putBack(queue);
                    waitAndRead(queue, now, Long.MAX_VALUE);
                }
            }
            if (!held.contains(queue.segment)) {
                keys.remove(queue);
            }
        });
    }

    /** Returns the delay of the next attempt, unless the entry has expired by its end. */
    private static Duration untilDueOrExpired(OutboxClaim claim, Settlement.Failed failed) {
        return claim.entry()
                .expiresAt()
                .map(end -> Duration.between(claim.claimedAt(), end))
                .filter(life -> life.compareTo(failed.delay()) < 0)
                .orElse(failed.delay());
    }

    /** Records that a claim is no longer in flight, with an unknown state in the store. */
    void lost(OutboxClaim claim, long now) {
        lock.run(() -> {
            OrderingKeyQueue queue = keys.find(claim.entry().orderingKey().orElseThrow());
            if (queue != null && isBusyWith(queue, claim.entry().id())) {
                keys.putBack(queue);
                keys.await(queue, now + recheck, true);
                if (!held.contains(queue.segment)) {
                    keys.remove(queue);
                }
            }
        });
    }

    private static boolean isBusyWith(OrderingKeyQueue queue, long id) {
        return queue.state == OrderingKeyQueue.State.BUSY && queue.busyId == id;
    }

    private void resume(OrderingKeyQueue queue) {
        if (!queue.ids.isEmpty()) {
            keys.makeReady(queue);
        } else if (queue.more) {
            keys.markStale(queue);
        } else {
            keys.remove(queue);
        }
    }

    private static long nanos(Duration duration) {
        return TimeUnit.NANOSECONDS.convert(duration);
    }
}
