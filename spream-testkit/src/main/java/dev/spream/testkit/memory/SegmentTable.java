package dev.spream.testkit.memory;

import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.SegmentShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The segments of a projection and the owners that share them. Guarded by the projection's memory. */
final class SegmentTable {
    private final List<Segment> segments = new ArrayList<>();
    private final Map<ProjectionOwner, Instant> owners = new HashMap<>();

    /**
     * Creates segments without an owner.
     *
     * @param position the position of all of them
     */
    SegmentTable(int count, long position) {
        for (int number = 0; number < count; number++) {
            segments.add(new Segment(number, position));
        }
    }

    int count() {
        return segments.size();
    }

    /**
     * Returns another number of segments for the same owners, all at the lowest position of these. All earlier leases
     * are invalid for the new segments.
     */
    SegmentTable split(int count) {
        long epoch = segments.stream().mapToLong(segment -> segment.epoch).max().orElse(0) + 1;
        SegmentTable split = new SegmentTable(count, position());
        split.segments.forEach(segment -> segment.epoch = epoch);
        split.owners.putAll(owners);
        return split;
    }

    SegmentShare hold(ProjectionOwner owner, Set<Integer> giveUp, Instant now, Duration lease) {
        owners.values().removeIf(until -> !until.isAfter(now));
        owners.put(owner, now.plus(lease));
        int fair = Math.ceilDiv(segments.size(), owners.size());
        List<SegmentLease> held = new ArrayList<>();
        for (Segment segment : segments) {
            if (giveUp.contains(segment.number)) {
                segment.release(owner);
            } else if (segment.isOf(owner)) {
                held.add(segment.lease(owner, now, lease));
            }
        }
        for (Segment segment : segments) {
            if (held.size() < fair && segment.isFree(now) && !giveUp.contains(segment.number)) {
                held.add(segment.lease(owner, now, lease));
            }
        }
        return new SegmentShare(held, segments.size(), fair, owners.size());
    }

    void leave(ProjectionOwner owner) {
        owners.remove(owner);
        segments.forEach(segment -> segment.release(owner));
    }

    boolean isHeld(Fence.Segment fence) {
        return fence.segment() >= 0
                && fence.segment() < segments.size()
                && segments.get(fence.segment()).isHeld(fence);
    }

    /** Keeps others from taking the segment until {@link #exit}. */
    void enter(Fence.Segment fence) {
        segments.get(fence.segment()).entered++;
    }

    void exit(Fence.Segment fence) {
        segments.get(fence.segment()).entered--;
    }

    void move(Fence.Segment fence, long position) {
        segments.get(fence.segment()).position = position;
    }

    /** Returns the position of a segment; 0 if it no longer exists. */
    long position(int segment) {
        return segment < segments.size() ? segments.get(segment).position : 0;
    }

    /** Returns the first segment whose position differs from the other table's; -1 if there is none. */
    int firstBehind(SegmentTable other) {
        for (Segment segment : segments) {
            if (segment.position != other.position(segment.number)) {
                return segment.number;
            }
        }
        return -1;
    }

    /** Raises the epochs of all segments, so that earlier leases no longer hold. */
    void raiseEpochs() {
        segments.forEach(segment -> segment.epoch++);
    }

    /** Returns the lowest position of all segments. */
    long position() {
        return segments.stream().mapToLong(segment -> segment.position).min().orElse(0);
    }

    List<ProjectionDetails.Segment> details(Instant now) {
        return segments.stream().map(segment -> segment.details(now)).toList();
    }

    private static final class Segment {
        private final int number;
        private long epoch;
        private long position;
        private @Nullable ProjectionOwner owner;
        private Instant until = Instant.MIN;
        private int entered;

        Segment(int number, long position) {
            this.number = number;
            this.position = position;
        }

        boolean isOf(ProjectionOwner other) {
            return other.equals(owner);
        }

        boolean isFree(Instant now) {
            return entered == 0 && !isLeased(now);
        }

        private boolean isLeased(Instant now) {
            return owner != null && until.isAfter(now);
        }

        boolean isHeld(Fence.Segment fence) {
            return isOf(fence.owner()) && epoch == fence.epoch();
        }

        SegmentLease lease(ProjectionOwner holder, Instant now, Duration lease) {
            epoch += isOf(holder) ? 0 : 1;
            owner = holder;
            until = now.plus(lease);
            return new SegmentLease(number, epoch, position);
        }

        void release(ProjectionOwner holder) {
            owner = isOf(holder) ? null : owner;
        }

        ProjectionDetails.Segment details(Instant now) {
            Optional<ProjectionOwner> holder = isLeased(now) ? Optional.ofNullable(owner) : Optional.empty();
            return new ProjectionDetails.Segment(
                    number,
                    epoch,
                    position,
                    holder.map(ProjectionOwner::toString),
                    holder.map(held -> Duration.between(now, until)));
        }
    }
}
