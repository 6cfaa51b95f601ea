package dev.spream.outbox.worker;

import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The segments that a worker holds: those it claims entries of, and those above its share, which it releases once none
 * of their entries is in flight. Guarded by its {@link OrderedClaimPlanner}.
 */
final class HeldSegments {
    private final Map<Integer, Segment> segments = new HashMap<>();
    private final Set<Integer> releasing = new TreeSet<>();
    private final int[] busy = new int[OutboxSegmentLease.SEGMENTS];

    /**
     * Updates the segments to those that the store has assigned.
     *
     * @param onDrop called for each segment of which no more entries are claimed
     */
    void hold(OutboxSegmentShare held, Consumer<Integer> onDrop) {
        Map<Integer, OutboxSegmentLease> leases = new HashMap<>();
        held.held().forEach(lease -> leases.put(lease.segment(), lease));
        List.copyOf(segments.values()).stream()
                .filter(segment -> !segment.lease.equals(leases.get(segment.lease.segment())))
                .forEach(segment -> drop(segment, onDrop));
        releasing.retainAll(leases.keySet());
        stay(held.share() - (leases.size() - releasing.size()));
        leases.values().stream()
                .filter(lease -> !releasing.contains(lease.segment()))
                .forEach(lease -> segments.computeIfAbsent(lease.segment(), any -> new Segment(lease)));
        releaseSurplus(segments.size() - held.share(), onDrop);
    }

    private void drop(Segment segment, Consumer<Integer> onDrop) {
        segments.remove(segment.lease.segment());
        onDrop.accept(segment.lease.segment());
    }

    private void stay(int more) {
        List.copyOf(releasing).stream().limit(Math.max(0, more)).forEach(releasing::remove);
    }

    private void releaseSurplus(int surplus, Consumer<Integer> onDrop) {
        segments.values().stream()
                .sorted(Comparator.comparing((Segment segment) -> busy[segment.lease.segment()] > 0)
                        .thenComparingInt(segment -> segment.lease.segment()))
                .limit(Math.max(0, surplus))
                .toList()
                .forEach(segment -> {
                    drop(segment, onDrop);
                    releasing.add(segment.lease.segment());
                });
    }

    /** Removes and returns the segments to release now. */
    Set<Integer> leaveIdle() {
        Set<Integer> idle =
                releasing.stream().filter(segment -> busy[segment] == 0).collect(Collectors.toSet());
        releasing.removeAll(idle);
        return idle;
    }

    boolean hasIdleToLeave() {
        return releasing.stream().anyMatch(segment -> busy[segment] == 0);
    }

    Collection<Segment> all() {
        return segments.values();
    }

    /** Returns an assigned segment; null if it is not held or is being released. */
    @Nullable
    Segment find(int segment) {
        return segments.get(segment);
    }

    boolean contains(int segment) {
        return segments.containsKey(segment);
    }

    /** Adds to the number of queued entries of a segment that can be claimed in turn. */
    void count(int segment, int entries) {
        Segment state = segments.get(segment);
        if (state != null) {
            state.queued += entries;
        }
    }

    /** Adds to the number of keys of a segment that have an entry in flight. */
    void countBusy(int segment, int keys) {
        busy[segment] += keys;
    }

    /** An assigned segment and its read positions. */
    static final class Segment {
        final OutboxSegmentLease lease;

        /** The last id read by the forward scan. */
        long readTo;

        /** Whether the forward scan has reached the end. */
        boolean atEnd;

        /** The last id read by the scan for late commits. */
        long lookedTo;

        /** The number of queued entries that can be claimed in turn. */
        int queued;

        Segment(OutboxSegmentLease lease) {
            this.lease = lease;
        }
    }
}
