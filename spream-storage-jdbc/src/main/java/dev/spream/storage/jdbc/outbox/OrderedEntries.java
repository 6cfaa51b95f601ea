package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OrderedEntry;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Reads unsettled entries of segments and keys without locking them. */
record OrderedEntries(OutboxDatabase database) {
    /** The columns of the table {@code o}. Infinite times cannot be subtracted. */
    private static final String COLUMNS = """
            o.id, o.segment, o.ordering_key, o.status <> 'sending' AND o.next_run_at = 'infinity' AS parked,
            CASE
                WHEN o.status = 'sending'
                    THEN ceil(extract(epoch FROM o.lease_until - (SELECT clock_timestamp())) * 1000000)::bigint
                WHEN o.next_run_at < 'infinity'
                    THEN ceil(extract(epoch FROM o.next_run_at - (SELECT clock_timestamp())) * 1000000)::bigint
                ELSE 0
            END AS due_in""";

    /**
     * Reads the first entry of the partial index. Index entries of rows that were settled and that another snapshot
     * still sees are skipped.
     */
    static final String ANY = """
            SELECT EXISTS (SELECT FROM (
                SELECT FROM @outbox o
                WHERE o.status IN ('pending', 'sending', 'failed') AND o.segment IS NOT NULL
                ORDER BY o.segment, o.destination, o.id LIMIT 1) AS first)""";

    static final String OF_SEGMENTS = """
            SELECT e.* FROM unnest((SELECT ?::int[]), (SELECT ?::bigint[])) AS asked (segment, behind)
            CROSS JOIN LATERAL (
                SELECT %s FROM @outbox o
                WHERE o.segment = asked.segment AND o.destination = ? AND o.status IN ('pending', 'sending', 'failed')
                    AND o.id > asked.behind
                ORDER BY o.id LIMIT ?) AS e
            ORDER BY e.segment, e.id""".formatted(COLUMNS);

    static final String OF_KEY = """
            SELECT %s FROM @outbox o
            WHERE o.ordering_key = ? AND o.destination = ? AND o.status IN ('pending', 'sending', 'failed')
            ORDER BY o.id LIMIT ?""".formatted(COLUMNS);

    boolean any() {
        return database.row(
                "looking for ordered entries of " + database.tables(), ANY, p -> {}, row -> row.getBoolean(1));
    }

    List<OrderedEntry> ofSegments(String destination, Map<Integer, Long> after, int perSegment) {
        List<Integer> segments = List.copyOf(after.keySet());
        List<Long> behind = segments.stream().map(after::get).toList();
        return database.rows(
                "reading ahead in %d segments of %s".formatted(segments.size(), database.tables()),
                OF_SEGMENTS,
                p -> p.integers(segments).numbers(behind).text(destination).number(perSegment),
                OrderedEntries::read);
    }

    List<OrderedEntry> ofKey(String destination, String orderingKey, int limit) {
        return database.rows(
                "reading ahead in an ordering key of " + database.tables(),
                OF_KEY,
                p -> p.text(orderingKey).text(destination).number(limit),
                OrderedEntries::read);
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
