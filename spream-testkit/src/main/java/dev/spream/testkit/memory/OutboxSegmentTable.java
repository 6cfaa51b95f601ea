package dev.spream.testkit.memory;

import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The segments of an {@link InMemoryOutbox} and their workers. Guarded by its memory. */
final class OutboxSegmentTable {
    private final List<Segment> segments = new ArrayList<>();
    private final Map<OutboxOwner, Instant> workers = new HashMap<>();

    OutboxSegmentTable() {
        for (int segment = 0; segment < OutboxSegmentLease.SEGMENTS; segment++) {
            segments.add(new Segment(segment));
        }
    }

    OutboxSegmentShare hold(OutboxOwner worker, Set<Integer> giveUp, Instant now, Duration lease) {
        workers.values().removeIf(until -> !until.isAfter(now));
        workers.put(worker, now.plus(lease));
        int share = Math.ceilDiv(OutboxSegmentLease.SEGMENTS, workers.size());
        List<OutboxSegmentLease> held = new ArrayList<>();
        for (Segment segment : segments) {
            if (giveUp.contains(segment.number)) {
                segment.release(worker);
            } else if (segment.isOf(worker)) {
                held.add(segment.lease(worker, now, lease));
            }
        }
        for (Segment segment : segments) {
            if (held.size() < share && segment.isFree(now) && !giveUp.contains(segment.number)) {
                held.add(segment.lease(worker, now, lease));
            }
        }
        return new OutboxSegmentShare(held, share);
    }

    void leave(OutboxOwner worker) {
        workers.remove(worker);
        segments.forEach(segment -> segment.release(worker));
    }

    boolean isHeld(OutboxOwner worker, OutboxSegmentLease lease, Instant now) {
        Segment segment = segments.get(lease.segment());
        return segment.isOf(worker) && segment.epoch == lease.epoch() && !segment.isFree(now);
    }

    private static final class Segment {
        private final int number;
        private long epoch;
        private @Nullable OutboxOwner owner;
        private Instant until = Instant.MIN;

        Segment(int number) {
            this.number = number;
        }

        boolean isOf(OutboxOwner worker) {
            return worker.equals(owner);
        }

        boolean isFree(Instant now) {
            return owner == null || !until.isAfter(now);
        }

        OutboxSegmentLease lease(OutboxOwner worker, Instant now, Duration lease) {
            epoch += isOf(worker) ? 0 : 1;
            owner = worker;
            until = now.plus(lease);
            return new OutboxSegmentLease(number, epoch);
        }

        void release(OutboxOwner worker) {
            owner = isOf(worker) ? null : owner;
        }
    }
}
