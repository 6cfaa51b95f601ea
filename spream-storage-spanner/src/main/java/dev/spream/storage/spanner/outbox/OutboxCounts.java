package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.Struct;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStats.Figure;
import dev.spream.outbox.OutboxStatus;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Counts entries, from indexes alone and up to a bound for each state. A number beyond the bound is reported as the bound,
 * and as an estimate.
 */
record OutboxCounts(SpannerOutboxDatabase database) {
    static final int BOUND = 10_000;

    private static final List<String> STATES = Stream.concat(
                    EntryColumns.UNSETTLED.stream(), Stream.of("succeeded", "aborted"))
            .toList();
    private static final List<String> ORDERED = List.of("OpenOrderingKey", "Destination", "State", "DueAt", "ExpiryAt");

    OutboxStats read(int bound) {
        return database.readAtOnce("counting entries", context -> read(context, bound));
    }

    private OutboxStats read(ReadContext context, int bound) {
        Instant now = SpannerOutboxDatabase.now(context);
        Map<String, Long> counts = counts(context, bound);
        Map<OutboxStatus, Long> entries = new EnumMap<>(OutboxStatus.class);
        Set<OutboxStatus> estimated = EnumSet.noneOf(OutboxStatus.class);
        counts.forEach((state, count) -> {
            entries.merge(EntryRow.statusOf(state), count, Long::sum);
            if (count == bound) {
                estimated.add(EntryRow.statusOf(state));
            }
        });
        Tally tally = new Tally(now);
        boolean isCut = due(context, bound, tally) == bound;
        int ordered = Rows.each(
                context.readUsingIndex(
                        database.tables().entries(),
                        database.tables().bySegment(),
                        KeySet.all(),
                        ORDERED,
                        Options.limit(bound)),
                tally::ordered);
        tally.addHeads();
        Set<Figure> atLeast = EnumSet.noneOf(Figure.class);
        if (isCut || ordered == bound) {
            atLeast.addAll(Set.of(Figure.DUE, Figure.LEASES_EXPIRED));
        }
        if (ordered == bound) {
            atLeast.add(Figure.LAG);
        }
        long parked = counts.getOrDefault(EntryColumns.PARKED, 0L);
        long parkedUnknown = counts.getOrDefault(EntryColumns.PARKED_UNKNOWN, 0L);
        if (parked == bound || parkedUnknown == bound) {
            atLeast.add(Figure.PARKED);
        }
        return new OutboxStats(
                now,
                entries,
                tally.due,
                Optional.ofNullable(tally.oldestDue),
                tally.lapsed,
                parked + parkedUnknown,
                parkedUnknown,
                estimated,
                atLeast);
    }

    private Map<String, Long> counts(ReadContext context, int bound) {
        OutboxSchema tables = database.tables();
        String query = STATES.stream()
                .map(state ->
                        "SELECT '%s' AS %s, COUNT(*) AS %s FROM (SELECT %s FROM %s WHERE %s = '%s' LIMIT %d) AS %s"
                                .formatted(
                                        state,
                                        tables.quoted("Name"),
                                        tables.quoted("Entries"),
                                        tables.quoted("State"),
                                        tables.using(tables.entries(), tables.byState()),
                                        tables.quoted("State"),
                                        state,
                                        bound,
                                        tables.quoted("of_" + state)))
                .collect(Collectors.joining(" UNION ALL "));
        Map<String, Long> counts = new HashMap<>();
        Rows.all(context.executeQuery(Rows.bound(query, List.of())), row -> row)
                .forEach(row -> counts.put(row.getString(0), row.getLong(1)));
        return counts;
    }

    /** Counts entries without an ordering key whose time has come, at most that many, and returns their number. */
    private int due(ReadContext context, int bound, Tally tally) {
        OutboxSchema tables = database.tables();
        return Rows.each(
                context.executeQuery(Rows.bound(
                        "SELECT %s FROM %s WHERE %s IS NOT NULL AND %s IS NOT NULL AND %s <= CURRENT_TIMESTAMP AND (%s IS NULL OR %s > CURRENT_TIMESTAMP) ORDER BY %s LIMIT %d"
                                .formatted(
                                        tables.quoted(List.of("State", "DueAt")),
                                        tables.using(tables.entries(), tables.due()),
                                        tables.quoted("DueShard"),
                                        tables.quoted("DueAt"),
                                        tables.quoted("DueAt"),
                                        tables.quoted("ExpiryAt"),
                                        tables.quoted("ExpiryAt"),
                                        tables.quoted("DueAt"),
                                        bound),
                        List.of())),
                row -> tally.add(row.getString("State"), requireNonNull(Rows.time(row, "DueAt"))));
    }

    /** The due entries that were read. */
    private static final class Tally {
        private final Instant now;

        /** The first entries of ordering keys. */
        private final Map<OrderingKey, Struct> first = new HashMap<>();

        /** The ordering keys of which a later entry is being sent. */
        private final Set<OrderingKey> busy = new HashSet<>();

        private long due;
        private long lapsed;
        private @Nullable Instant oldestDue;

        private Tally(Instant now) {
            this.now = now;
        }

        private void add(String state, Instant since) {
            due++;
            lapsed += isSending(state) ? 1 : 0;
            oldestDue = oldestDue == null || since.isBefore(oldestDue) ? since : oldestDue;
        }

        private static boolean isSending(String state) {
            return EntryRow.statusOf(state) == OutboxStatus.SENDING;
        }

        /** Takes an entry with an ordering key; those of a key are in their order. */
        void ordered(Struct row) {
            OrderingKey key = OrderingKey.of(row);
            if (first.putIfAbsent(key, row) == null || !isSending(row.getString("State"))) {
                return;
            }
            if (requireNonNull(Rows.time(row, "DueAt")).isAfter(now)) {
                busy.add(key);
            } else {
                lapsed++;
            }
        }

        /** Counts the first entries of ordering keys that are due and wait for no other. */
        void addHeads() {
            first.forEach((key, row) -> {
                Instant dueAt = Rows.time(row, "DueAt");
                Instant expiryAt = Rows.time(row, "ExpiryAt");
                boolean waits = busy.contains(key) || (expiryAt != null && !expiryAt.isAfter(now));
                if (dueAt != null && !dueAt.isAfter(now) && !waits) {
                    add(row.getString("State"), dueAt);
                }
            });
        }
    }
}
