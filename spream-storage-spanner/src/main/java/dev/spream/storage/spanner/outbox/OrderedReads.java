package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Struct;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxSegmentLease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads unsettled entries with an ordering key, from indexes that settled entries are not in. */
record OrderedReads(SpannerOutboxDatabase database) {
    /** The number of rows of a request, unless a segment needs more. */
    private static final int ROWS = 1_000;

    private static final List<String> COLUMNS = List.of("Id", "OpenOrderingKey", "State", "DueAt");

    boolean exist() {
        OutboxSchema tables = database.tables();
        return !database.read(
                        "looking for ordered entries",
                        context -> Rows.all(
                                context.readUsingIndex(
                                        tables.entries(),
                                        tables.bySegment(),
                                        KeySet.all(),
                                        List.of("Id"),
                                        Options.limit(1)),
                                row -> row))
                .isEmpty();
    }

    /**
     * Reads many segments in a request. A segment with more entries than were asked for is cut, and the next request
     * begins with the segment after it; one that the end of a request cuts is read again from its place.
     */
    List<OrderedEntry> read(String destination, Map<Integer, Long> after, int perSegment) {
        TreeMap<Integer, Long> open = new TreeMap<>(after);
        List<OrderedEntry> entries = new ArrayList<>();
        int limit = Math.max(ROWS, perSegment);
        while (!open.isEmpty()) {
            TreeMap<Integer, List<OrderedEntry>> read = new TreeMap<>();
            List<OrderedEntry> page = page(destination, open, limit);
            page.forEach(entry -> read.computeIfAbsent(entry.segment(), segment -> new ArrayList<>())
                    .add(entry));
            boolean isLast = page.size() < limit;
            if (isLast) {
                open.clear();
            } else {
                boolean isCut = read.lastEntry().getValue().size() < perSegment;
                open.headMap(read.lastKey(), !isCut).clear();
                read.keySet().removeIf(open::containsKey);
            }
            read.values().forEach(segment -> segment.stream().limit(perSegment).forEach(entries::add));
        }
        return entries;
    }

    private List<OrderedEntry> page(String destination, Map<Integer, Long> after, int limit) {
        KeySet.Builder ranges = KeySet.newBuilder();
        after.forEach((segment, id) -> ranges.addRange(
                KeyRange.closedClosed(Key.of(segment, destination, id + 1), Key.of(segment, destination))));
        return read(database.tables().bySegment(), ranges.build(), limit);
    }

    /** Reads one destination and ordering key: the entries that are being sent, of which there are few, and the first waiting ones. */
    List<OrderedEntry> read(OrderingKey of, int limit) {
        String index = database.tables().byOrderingKey();
        List<OrderedEntry> entries = new ArrayList<>(read(index, KeySet.prefixRange(of.prefix(false)), limit));
        entries.addAll(read(index, KeySet.prefixRange(of.prefix(true)), limit));
        return entries.stream()
                .sorted(Comparator.comparingLong(OrderedEntry::id))
                .limit(limit)
                .toList();
    }

    private List<OrderedEntry> read(String index, KeySet keys, int limit) {
        return database.readAtOnce("reading ordered entries", context -> {
            Instant now = SpannerOutboxDatabase.now(context);
            return Rows.all(
                    context.readUsingIndex(database.tables().entries(), index, keys, COLUMNS, Options.limit(limit)),
                    row -> entry(row, now));
        });
    }

    private static OrderedEntry entry(Struct row, Instant now) {
        String orderingKey = row.getString("OpenOrderingKey");
        Instant dueAt = Rows.time(row, "DueAt");
        return new OrderedEntry(
                row.getLong("Id"),
                OutboxSegmentLease.segmentOf(orderingKey),
                orderingKey,
                dueAt == null || !dueAt.isAfter(now) ? Duration.ZERO : Duration.between(now, dueAt),
                row.getString("State").startsWith(EntryColumns.PARKED));
    }
}
