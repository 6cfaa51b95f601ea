package dev.spream.outbox.worker;

import dev.spream.core.internal.SectionLock;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The segments that a worker holds, for the planners of all its senders: those it claims entries of, and those above
 * its share, which it releases once none of their entries is in flight. Safe for use by many threads; the methods for
 * planners are called under the {@linkplain #lock lock}, which also guards the planners.
 */
final class HeldSegments {
    private final SectionLock lock = new SectionLock();

    // Guarded by lock.
    private final List<OrderedClaimPlanner> planners = new ArrayList<>();
    private final Map<Integer, OutboxSegmentLease> segments = new HashMap<>();
    private final Set<Integer> releasing = new TreeSet<>();
    private final int[] busy = new int[OutboxSegmentLease.SEGMENTS];

    /** Returns the lock of these segments and their planners. */
    SectionLock lock() {
        return lock;
    }

    /** Adds a planner, which is told of each segment of which no more entries are claimed. */
    void add(OrderedClaimPlanner planner) {
        lock.run(() -> planners.add(planner));
    }

    /**
     * Sets the segments that are held from now on. Those above the share are marked for release, idle ones first, and
     * none of their entries is claimed any more.
     */
    void hold(OutboxSegmentShare held) {
        lock.run(() -> {
            Map<Integer, OutboxSegmentLease> leases = new HashMap<>();
            held.held().forEach(lease -> leases.put(lease.segment(), lease));
            List.copyOf(segments.values()).stream()
                    .filter(segment -> !segment.equals(leases.get(segment.segment())))
                    .forEach(this::drop);
            releasing.retainAll(leases.keySet());
            stay(held.share() - (leases.size() - releasing.size()));
            leases.values().stream()
                    .filter(lease -> !releasing.contains(lease.segment()))
                    .forEach(lease -> segments.putIfAbsent(lease.segment(), lease));
            releaseSurplus(segments.size() - held.share());
        });
    }

    /** Plans no more claims, because it is unknown which segments are held. */
    void holdNothing() {
        hold(new OutboxSegmentShare(List.of(), 0));
    }

    private void drop(OutboxSegmentLease segment) {
        segments.remove(segment.segment());
        planners.forEach(planner -> planner.drop(segment.segment()));
    }

    private void stay(int more) {
        List.copyOf(releasing).stream().limit(Math.max(0, more)).forEach(releasing::remove);
    }

    private void releaseSurplus(int surplus) {
        segments.values().stream()
                .sorted(Comparator.comparing((OutboxSegmentLease segment) -> busy[segment.segment()] > 0)
                        .thenComparingInt(OutboxSegmentLease::segment))
                .limit(Math.max(0, surplus))
                .toList()
                .forEach(segment -> {
                    drop(segment);
                    releasing.add(segment.segment());
                });
    }

    /** Removes and returns the segments to release now: those above the share without entries in flight. */
    Set<Integer> leaveIdle() {
        return lock.get(() -> {
            Set<Integer> idle =
                    releasing.stream().filter(segment -> busy[segment] == 0).collect(Collectors.toSet());
            releasing.removeAll(idle);
            return idle;
        });
    }

    boolean hasIdleToLeave() {
        return lock.get(() -> releasing.stream().anyMatch(segment -> busy[segment] == 0));
    }

    /** Returns the assigned segments. */
    Collection<OutboxSegmentLease> all() {
        return segments.values();
    }

    /** Returns an assigned segment; null if it is not held or is being released. */
    @Nullable
    OutboxSegmentLease find(int segment) {
        return segments.get(segment);
    }

    boolean contains(int segment) {
        return segments.containsKey(segment);
    }

    /** Adds to the number of keys of a segment that have an entry in flight. */
    void countBusy(int segment, int keys) {
        busy[segment] += keys;
    }
}
