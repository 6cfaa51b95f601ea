package dev.spream.storage.jdbc.outbox.mysql;

import static java.util.stream.Collectors.joining;

import dev.spream.outbox.OrderedEntry;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Reads unsettled entries of segments and keys without locking them. */
record MySqlOrdered(OutboxDatabase database) {
    private static final String COLUMNS = """
            o.id, o.segment, o.ordering_key, o.status <> 'sending' AND o.next_run_at = @never AS parked,
            CASE
                WHEN o.status = 'sending' THEN TIMESTAMPDIFF(MICROSECOND, @now, o.lease_until)
                WHEN o.next_run_at < @never THEN TIMESTAMPDIFF(MICROSECOND, @now, o.next_run_at)
                ELSE 0
            END AS due_in""";

    private static final String ANY = "SELECT EXISTS (SELECT 1 FROM @outbox WHERE open_segment >= 0)";

    /** Reads the end of each segment in the index, which costs little for segments without entries. */
    static final String ENDS = """
            SELECT s.segment, (SELECT o.id FROM @outbox o FORCE INDEX (segment_order)
                WHERE o.open_segment = s.segment AND o.destination = ? ORDER BY o.id DESC LIMIT 1) AS last
            FROM @segments s WHERE s.segment IN (*)""";

    private static final String OF_SEGMENT = """
            (SELECT %s FROM @outbox o FORCE INDEX (segment_order)
            WHERE o.open_segment = ? AND o.destination = ? AND o.id > ? ORDER BY o.id LIMIT ?)""".formatted(COLUMNS);

    private static final List<String> UNSETTLED = List.of("pending", "sending", "failed");

    private static final String OF_KEY =
            UNSETTLED.stream().map("""
                            (SELECT %s FROM @outbox o FORCE INDEX (key_order)
                            WHERE o.ordering_key = ? AND o.destination = ? AND o.status = '%%s' ORDER BY o.id LIMIT ?)""".formatted(COLUMNS)::formatted).collect(joining(" UNION ALL "))
                    + " ORDER BY id LIMIT ?";

    boolean any() {
        return database.row(
                "looking for ordered entries of " + database.tables(), ANY, p -> {}, row -> row.getBoolean(1));
    }

    List<OrderedEntry> ofSegments(String destination, Map<Integer, Long> after, int perSegment) {
        List<Integer> segments = segmentsWithMore(destination, after);
        if (segments.isEmpty()) {
            return List.of();
        }
        String sql = segments.stream().map(segment -> OF_SEGMENT).collect(joining(" UNION ALL "));
        return database.rows(
                what(segments.size()),
                sql + " ORDER BY segment, id",
                p -> {
                    for (int segment : segments) {
                        p.number(segment)
                                .text(destination)
                                .number(after.getOrDefault(segment, 0L))
                                .number(perSegment);
                    }
                },
                MySqlOrdered::read);
    }

    private List<Integer> segmentsWithMore(String destination, Map<Integer, Long> after) {
        if (after.isEmpty()) {
            return List.of();
        }
        record End(int segment, long last) {}
        Database.Binder segments = p -> Placeholders.integers(p.text(destination), after.keySet());
        return database
                .rows(
                        what(after.size()),
                        Placeholders.in(ENDS, after.keySet()),
                        segments,
                        row -> new End(row.getInt("segment"), row.getLong("last")))
                .stream()
                .filter(end -> end.last() > after.getOrDefault(end.segment(), 0L))
                .map(End::segment)
                .toList();
    }

    private String what(int segments) {
        return "reading ahead in %d segments of %s".formatted(segments, database.tables());
    }

    List<OrderedEntry> ofKey(String destination, String orderingKey, int limit) {
        return database.rows(
                "reading ahead in an ordering key of " + database.tables(),
                OF_KEY,
                p -> {
                    for (String ignored : UNSETTLED) {
                        p.text(orderingKey).text(destination).number(limit);
                    }
                    p.number(limit);
                },
                MySqlOrdered::read);
    }

    private static OrderedEntry read(ResultSet row) throws SQLException {
        Duration dueIn = Duration.of(Math.max(0, row.getLong("due_in")), ChronoUnit.MICROS);
        return new OrderedEntry(
                row.getLong("id"),
                row.getInt("segment"),
                row.getString("ordering_key"),
                dueIn,
                row.getBoolean("parked"));
    }
}
