package dev.spream.outbox.worker;

import dev.spream.outbox.OutboxSegmentLease;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The read positions of one planner in the segments that its worker holds. Guarded by the {@link HeldSegments}. */
final class SegmentReads {
    private final HeldSegments held;
    private final Map<Integer, Segment> segments = new HashMap<>();

    SegmentReads(HeldSegments held) {
        this.held = held;
    }

    Collection<Segment> all() {
        return held.all().stream().map(this::of).toList();
    }

    /** Returns an assigned segment; null if it is not held or is being released. */
    @Nullable
    Segment find(int segment) {
        OutboxSegmentLease lease = held.find(segment);
        return lease == null ? null : of(lease);
    }

    private Segment of(OutboxSegmentLease lease) {
        return segments.computeIfAbsent(lease.segment(), any -> new Segment(lease));
    }

    void drop(int segment) {
        segments.remove(segment);
    }

    /** Adds to the number of queued entries of a segment that can be claimed in turn. */
    void count(int segment, int entries) {
        Segment state = find(segment);
        if (state != null) {
            state.queued += entries;
        }
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
