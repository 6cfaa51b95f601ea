package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;

/**
 * Claims entries. Due ones are found by a query that takes no locks, and checked again in the transaction that claims
 * them, so that a poll of an outbox without due entries writes nothing. A worker that finds the entries taken by
 * another looks further down the queue, at a random place, so that workers get out of each other's way.
 */
record DueClaims(SpannerOutboxDatabase database) {
    private static final int TRIES = 5;

    /** The part of the queue, in multiples of the limit, in which a worker looks after it met another. */
    private static final int WIDER = 4;

    ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        OutboxSchema tables = database.tables();
        String due = "%s = %s AND %s <= CURRENT_TIMESTAMP AND (%s IS NULL OR %s > CURRENT_TIMESTAMP)"
                .formatted(
                        tables.quoted("Destination"),
                        tables.parameter(1),
                        tables.quoted("DueAt"),
                        tables.quoted("ExpiryAt"),
                        tables.quoted("ExpiryAt"));
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            int window = attempt == 1 ? limit : Math.multiplyExact(limit, WIDER);
            List<Long> ids =
                    database.ids(tables.due(), "DueShard", "DueAt", due, List.of(Value.string(destination)), window);
            if (ids.isEmpty()) {
                break;
            }
            int from = ids.size() > limit ? ThreadLocalRandom.current().nextInt(ids.size() - limit + 1) : 0;
            List<Long> tried = ids.subList(from, Math.min(ids.size(), from + limit));
            ClaimResult result = database.write("claiming entries", write -> {
                write.loadWhole(tried);
                return claim(write, inOrder(write, tried), owner, lease);
            });
            if (!result.isEmpty()) {
                return result;
            }
        }
        return new ClaimResult(List.of(), 0, 0, 0);
    }

    private static List<EntryRow> inOrder(OutboxWrite write, Collection<Long> ids) {
        return ids.stream()
                .flatMap(id -> write.entry(id).stream())
                .filter(entry -> entry.isDue(write.now()))
                .toList();
    }

    private static ClaimResult claim(OutboxWrite write, List<EntryRow> due, OutboxOwner owner, Duration lease) {
        List<OutboxClaim> claims = new ArrayList<>();
        int leasesExpired = 0;
        int synchronised = 0;
        int conflicts = 0;
        for (EntryRow entry : due) {
            switch (write.verdict(entry)) {
                case SETTLED -> synchronised++;
                case CONFLICT -> conflicts++;
                case OPEN -> {
                    leasesExpired += entry.hasLapsed(write.now()) ? 1 : 0;
                    claims.add(entry.claim(owner, write.now(), lease));
                    continue;
                }
            }
            write.takesOver(entry);
        }
        return new ClaimResult(claims, leasesExpired, synchronised, conflicts);
    }

    ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
        if (ids.isEmpty() || segments.isEmpty()) {
            return new ClaimResult(List.of(), 0, 0, 0);
        }
        return database.write("claiming ordered entries", write -> {
            Set<Integer> held = SegmentRows.held(write, owner, segments);
            write.loadWhole(ids);
            List<EntryRow> candidates = inOrder(write, List.copyOf(Set.copyOf(ids))).stream()
                    .filter(entry -> Optional.ofNullable(entry.orderingKey())
                            .filter(key -> held.contains(OutboxSegmentLease.segmentOf(key)))
                            .isPresent())
                    .toList();
            return claim(write, heads(write, candidates), owner, lease);
        });
    }

    /**
     * Returns the entries before which no other of their destination and ordering key is unsettled, while no later one is being sent,
     * as is possible after a requeue by an operator. Locks the part of the index before each, where a transaction that
     * was opened earlier could still insert, and not that after it, where others enqueue.
     */
    private static List<EntryRow> heads(OutboxWrite write, List<EntryRow> candidates) {
        if (candidates.isEmpty()) {
            return List.of();
        }
        KeySet.Builder others = KeySet.newBuilder();
        Map<OrderingKey, Long> first = new HashMap<>();
        candidates.forEach(entry -> first.merge(key(entry), entry.id(), Math::min));
        first.forEach((key, id) -> others.addRange(KeyRange.prefix(key.prefix(false)))
                .addRange(KeyRange.closedOpen(key.prefix(true), key.at(true, id))));
        OutboxSchema tables = write.tables();
        List<Struct> found = write.read(
                tables.entries(),
                tables.byOrderingKey(),
                others.build(),
                List.of("OpenOrderingKey", "Destination", "Waiting", "Id", "DueAt"));
        Set<OrderingKey> blocked = found.stream()
                .filter(row -> row.getLong("Id") != first.getOrDefault(OrderingKey.of(row), 0L))
                .filter(row -> row.getLong("Id") < first.getOrDefault(OrderingKey.of(row), 0L)
                        || requireNonNull(Rows.time(row, "DueAt")).isAfter(write.now()))
                .map(OrderingKey::of)
                .collect(Collectors.toSet());
        return candidates.stream()
                .filter(entry -> entry.id() == first.getOrDefault(key(entry), 0L) && !blocked.contains(key(entry)))
                .toList();
    }

    private static OrderingKey key(EntryRow entry) {
        return new OrderingKey(entry.destination(), requireNonNull(entry.orderingKey()));
    }
}
