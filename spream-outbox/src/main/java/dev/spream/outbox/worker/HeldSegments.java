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
 * The segments that a worker holds: those that it works on, and those above its share, which it leaves when nothing of them is under
 * way any more. Confined to its {@link OrderedClaimPlanner}.
 */
final class HeldSegments {
    private final Map<Integer, Segment> segments = new HashMap<>();
    private final Set<Integer> releasing = new TreeSet<>();
    private final int[] busy = new int[OutboxSegmentLease.SEGMENTS];

    /**
     * Takes note of what is held now.
     *
     * @param onDrop told each segment that is not worked on any more
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

    /** Segments to give up now; they are held no more. */
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

    /** A segment that is worked on; null if it is not. */
    @Nullable
    Segment find(int segment) {
        return segments.get(segment);
    }

    boolean contains(int segment) {
        return segments.containsKey(segment);
    }

    /** So many more entries of a segment are kept that wait for nothing but their turn. */
    void count(int segment, int entries) {
        Segment state = segments.get(segment);
        if (state != null) {
            state.queued += entries;
        }
    }

    /** A key of a segment has an entry under way, or has none any more. */
    void countBusy(int segment, int keys) {
        busy[segment] += keys;
    }

    /** A segment that is worked on, and how far it was read. */
    static final class Segment {
        final OutboxSegmentLease lease;

        /** The last id that was read going forward. */
        long readTo;

        /** Whether there was nothing behind it. */
        boolean atEnd;

        /** The last id that was read looking for what was committed late. */
        long lookedTo;

        /** Number of entries kept that wait only for their turn. */
        int queued;

        Segment(OutboxSegmentLease lease) {
            this.lease = lease;
        }
    }
}
