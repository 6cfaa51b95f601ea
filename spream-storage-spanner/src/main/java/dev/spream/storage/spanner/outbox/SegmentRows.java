package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The leases of segments and the registrations of the workers that share them. A segment without a row is free. */
record SegmentRows(SpannerOutboxDatabase database) {
    static final List<String> SEGMENT_DECLARATIONS = List.of(
            "Segment INT64 NOT NULL", "Epoch INT64 NOT NULL", "Owner STRING(MAX)", "LeaseUntil TIMESTAMP NOT NULL");
    static final List<String> WORKER_DECLARATIONS =
            List.of("Worker STRING(MAX) NOT NULL", "AliveUntil TIMESTAMP NOT NULL");

    private static final List<String> SEGMENTS = OutboxSchema.columns(SEGMENT_DECLARATIONS);
    private static final List<String> WORKERS = OutboxSchema.columns(WORKER_DECLARATIONS);

    private record Segment(int number, long epoch, @Nullable String owner, Instant leaseUntil) {
        static Segment read(Struct row) {
            return new Segment(
                    Math.toIntExact(row.getLong("Segment")),
                    row.getLong("Epoch"),
                    Rows.text(row, "Owner"),
                    requireNonNull(Rows.time(row, "LeaseUntil")));
        }

        boolean isOf(OutboxOwner worker) {
            return worker.toString().equals(owner);
        }

        boolean isFree(Instant now) {
            return owner == null || !leaseUntil.isAfter(now);
        }

        Segment leased(OutboxOwner worker, Instant until) {
            return new Segment(number, isOf(worker) ? epoch : epoch + 1, worker.toString(), until);
        }

        Mutation mutation(OutboxSchema tables) {
            return Mutation.newInsertOrUpdateBuilder(tables.segments())
                    .set("Segment")
                    .to(number)
                    .set("Epoch")
                    .to(epoch)
                    .set("Owner")
                    .to(owner)
                    .set("LeaseUntil")
                    .to(Rows.value(leaseUntil))
                    .build();
        }
    }

    /** Returns those of the segments that the worker holds in their epochs. */
    static Set<Integer> held(OutboxWrite write, OutboxOwner owner, Collection<OutboxSegmentLease> leases) {
        KeySet.Builder keys = KeySet.newBuilder();
        Map<Integer, Long> epochs = new HashMap<>();
        for (OutboxSegmentLease lease : leases) {
            keys.addKey(Key.of(lease.segment()));
            epochs.put(lease.segment(), lease.epoch());
        }
        return Rows.all(write.context().read(write.tables().segments(), keys.build(), SEGMENTS), Segment::read).stream()
                .filter(segment -> segment.isOf(owner)
                        && !segment.isFree(write.now())
                        && segment.epoch() == epochs.getOrDefault(segment.number(), -1L))
                .map(Segment::number)
                .collect(Collectors.toSet());
    }

    OutboxSegmentShare hold(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return database.write("holding segments", write -> {
            Instant until = write.now().plus(lease);
            int workers = register(write, owner, until);
            int share = Math.ceilDiv(OutboxSegmentLease.SEGMENTS, workers);
            List<OutboxSegmentLease> held = new ArrayList<>();
            List<Segment> segments = segments(write);
            for (Segment segment : segments) {
                if (segment.isOf(owner)) {
                    boolean kept = !giveUp.contains(segment.number());
                    lease(write, kept ? segment.leased(owner, until) : released(segment), kept, held);
                }
            }
            for (Segment segment : segments) {
                boolean taken = held.size() < share
                        && !segment.isOf(owner)
                        && segment.isFree(write.now())
                        && !giveUp.contains(segment.number());
                if (taken) {
                    lease(write, segment.leased(owner, until), true, held);
                }
            }
            return new OutboxSegmentShare(held, share);
        });
    }

    private static void lease(OutboxWrite write, Segment segment, boolean isHeld, List<OutboxSegmentLease> held) {
        write.write(segment.mutation(write.tables()));
        if (isHeld) {
            held.add(new OutboxSegmentLease(segment.number(), segment.epoch()));
        }
    }

    private static Segment released(Segment segment) {
        return new Segment(segment.number(), segment.epoch(), null, segment.leaseUntil());
    }

    /** Registers the worker and removes those whose registration has expired; returns the number of workers. */
    private static int register(OutboxWrite write, OutboxOwner owner, Instant until) {
        String table = write.tables().workers();
        int workers = 1;
        for (Struct row : Rows.all(write.context().read(table, KeySet.all(), WORKERS), row -> row)) {
            String worker = row.getString("Worker");
            if (worker.equals(owner.toString())) {
                continue;
            }
            if (requireNonNull(Rows.time(row, "AliveUntil")).isAfter(write.now())) {
                workers++;
            } else {
                write.write(Mutation.delete(table, Key.of(worker)));
            }
        }
        write.write(Mutation.newInsertOrUpdateBuilder(table)
                .set("Worker")
                .to(owner.toString())
                .set("AliveUntil")
                .to(Rows.value(until))
                .build());
        return workers;
    }

    /** Returns all segments in the order of their numbers. */
    private static List<Segment> segments(OutboxWrite write) {
        Map<Integer, Segment> stored = new HashMap<>();
        Rows.all(write.context().read(write.tables().segments(), KeySet.all(), SEGMENTS), Segment::read)
                .forEach(segment -> stored.put(segment.number(), segment));
        List<Segment> segments = new ArrayList<>();
        for (int number = 0; number < OutboxSegmentLease.SEGMENTS; number++) {
            segments.add(stored.getOrDefault(number, new Segment(number, 0, null, Instant.EPOCH)));
        }
        return segments;
    }

    void release(OutboxOwner owner) {
        database.write("releasing segments", write -> {
            for (Segment segment : segments(write)) {
                if (segment.isOf(owner)) {
                    write.write(released(segment).mutation(write.tables()));
                }
            }
            write.write(Mutation.delete(write.tables().workers(), Key.of(owner.toString())));
            return null;
        });
    }
}
