package dev.spream.outbox.worker;

import dev.spream.core.internal.SectionLock;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Plans which entries with an ordering key a worker claims next: at most one of each key at a time, the first one that it knows
 * of. What it knows is read ahead from the store and may be wrong; the claim refuses an entry that is not the first of its key,
 * and then the key is read again. A mistake here costs a statement, never the order. Safe for use by many threads.
 *
 * <p>Memory is bounded: of each key the first ids are kept, of each segment it reads ahead until enough can be claimed, and keys
 * that wait, for a backoff or for people, keep their first entry alone and do not count. When very many wait, they are forgotten,
 * and found again when the segment is looked through.
 */
final class OrderedClaimPlanner {
    /** Number of entries of a segment that are read at a time. */
    static final int PAGE = 128;

    /** Number of entries of a segment that are searched at a time for late commits. */
    static final int LOOK_PAGE = 32;

    private static final int ENOUGH_OF_A_SEGMENT = 64;
    private static final int MAX_DOUBLINGS = 4;

    record Head(String key, long id, OutboxSegmentLease segment) {}

    private final long recheck;
    private final SectionLock lock = new SectionLock();

    // Guarded by lock.
    private final HeldSegments segments = new HeldSegments();
    private final OrderingKeyStates keys = new OrderingKeyStates(segments);

    /** @param recheckNanos after which time to look again at a key that waits for others */
    OrderedClaimPlanner(long recheckNanos) {
        this.recheck = recheckNanos;
    }

    /** About how many entries could be claimed now. */
    int readyKeys() {
        return keys.readyKeys();
    }

    /** The segments that are held from now on. Of those above the share, idle ones are left first, and nothing of them is claimed. */
    void hold(OutboxSegmentShare held) {
        lock.run(() -> segments.hold(held, this::drop));
    }

    /** Plans no more claims, since it is unknown which segments are held. */
    void holdNothing() {
        hold(new OutboxSegmentShare(List.of(), 0));
    }

    private void drop(int segment) {
        for (OrderingKeyQueue queue : keys.all()) {
            if (queue.segment == segment) {
                queue.forget();
                if (queue.state != OrderingKeyQueue.State.BUSY) {
                    keys.remove(queue);
                }
            }
        }
    }

    /** Segments to give up now: those above the share of which nothing is under way any more. */
    Set<Integer> leaveIdle() {
        return lock.get(segments::leaveIdle);
    }

    boolean hasIdleToLeave() {
        return lock.get(segments::hasIdleToLeave);
    }

    /**
     * Segments to read on, and behind which id.
     *
     * @param again whether those that were read to their end have to be read on as well
     */
    Map<Integer, Long> toRead(boolean again) {
        return lock.get(() -> {
            if (keys.isFull()) {
                return Map.of();
            }
            Map<Integer, Long> after = new HashMap<>();
            for (HeldSegments.Segment segment : segments.all()) {
                if (segment.queued < ENOUGH_OF_A_SEGMENT && (again || !segment.atEnd)) {
                    after.put(segment.lease.segment(), segment.readTo);
                }
            }
            return after;
        });
    }

    /** Segments to look through for entries that were committed late, and behind which id. */
    Map<Integer, Long> toLookThrough() {
        return lock.get(() -> segments.all().stream()
                .collect(Collectors.toMap(segment -> segment.lease.segment(), segment -> segment.lookedTo)));
    }

    /**
     * What was read.
     *
     * @param after what was asked for
     * @return whether there was anything that was not known
     */
    boolean read(Map<Integer, Long> after, int perSegment, List<OrderedEntry> entries, long now) {
        return lock.get(() -> {
            Map<Integer, List<OrderedEntry>> bySegment =
                    entries.stream().collect(Collectors.groupingBy(OrderedEntry::segment));
            boolean news = false;
            for (Map.Entry<Integer, Long> asked : after.entrySet()) {
                HeldSegments.Segment segment = segments.find(asked.getKey());
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

    /** What was read while looking through segments. Behind the end it begins at the beginning again. */
    void lookedThrough(Map<Integer, Long> after, int perSegment, List<OrderedEntry> entries, long now) {
        lock.run(() -> {
            Map<Integer, List<OrderedEntry>> bySegment =
                    entries.stream().collect(Collectors.groupingBy(OrderedEntry::segment));
            for (Integer asked : after.keySet()) {
                HeldSegments.Segment segment = segments.find(asked);
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
            return false; // it will be read as a whole
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

    /** Lets a key go by what is known of its first entry. */
    private void placeBy(OrderingKeyQueue queue, OrderedEntry first, long now) {
        if (isDue(first)) {
            keys.makeReady(queue);
        } else {
            waitAndRead(queue, now, first.parked() ? Long.MAX_VALUE : nanos(first.dueIn()));
        }
    }

    /** Makes a key wait for other workers, which may finish sooner than the store reports. */
    private void waitAndRead(OrderingKeyQueue queue, long now, long atMost) {
        long patience = recheck << Math.min(queue.failedClaims, MAX_DOUBLINGS);
        queue.failedClaims++;
        keys.await(queue, now + Math.min(patience, atMost), true);
    }

    boolean hasStaleKeys() {
        return lock.get(() -> !keys.staleKeys(1).isEmpty());
    }

    /** Keys to read from the store, a few at a time. */
    List<String> keysToReread(int limit) {
        return lock.get(() -> keys.staleKeys(limit));
    }

    /**
     * What was read of a key, from its beginning.
     *
     * @param limit how many entries were asked for
     */
    void reread(String key, int limit, List<OrderedEntry> entries, long now) {
        lock.run(() -> {
            OrderingKeyQueue queue = keys.find(key);
            if (queue == null || queue.state != OrderingKeyQueue.State.UNCLEAR) {
                return;
            }
            if (entries.isEmpty() || !segments.contains(queue.segment)) {
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

    /** Entries to claim now, of as many keys. Their keys are busy until it is said what became of them. */
    List<Head> take(int limit, long now) {
        return lock.get(() -> {
            keys.releaseDue(now);
            List<Head> heads = new ArrayList<>();
            while (heads.size() < limit) {
                OrderingKeyQueue queue = keys.makeNextBusy();
                if (queue == null) {
                    break;
                }
                HeldSegments.Segment segment = segments.find(queue.segment);
                if (segment == null) {
                    throw new IllegalStateException(
                            "segment %d is not held but has a key to claim".formatted(queue.segment));
                }
                heads.add(new Head(queue.key, queue.busyId, segment.lease));
            }
            return heads;
        });
    }

    /** In how many nanoseconds the next key has waited enough. */
    long nextDue(long now) {
        return lock.get(() -> keys.nextDue(now));
    }

    /** Releases the keys whose wait is over. */
    void releaseDue(long now) {
        lock.run(() -> keys.releaseDue(now));
    }

    /** The store refused these claims; their keys have to be read again. */
    void refused(Collection<Head> heads) {
        lock.run(() -> heads.forEach(head -> {
            OrderingKeyQueue queue = keys.find(head.key());
            if (queue != null && isBusyWith(queue, head.id())) {
                queue.failedClaims++;
                keys.markStale(queue);
            }
        }));
    }

    /** A claim is under way no more: by this settlement the store has its entry now. */
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
                    keys.await(queue, now + nanos(failed.delay()), false);
                }
                case Settlement.Parked parked -> {
                    keys.putBack(queue);
                    waitAndRead(queue, now, Long.MAX_VALUE);
                }
            }
            if (!segments.contains(queue.segment)) {
                keys.remove(queue);
            }
        });
    }

    /** A claim is no longer in flight, and its state in the store is unknown. */
    void lost(OutboxClaim claim, long now) {
        lock.run(() -> {
            OrderingKeyQueue queue = keys.find(claim.entry().orderingKey().orElseThrow());
            if (queue != null && isBusyWith(queue, claim.entry().id())) {
                keys.putBack(queue);
                keys.await(queue, now + recheck, true);
                if (!segments.contains(queue.segment)) {
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
