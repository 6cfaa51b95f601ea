package dev.spream.storage.jdbc.outbox.mysql;

import static java.util.stream.Collectors.joining;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts entries in one statement, and so in one snapshot, after it has read their destinations. Each count reads a bounded number of index entries; beyond
 * it, the number of entries of a status is estimated from the ids, and the other figures are lower bounds.
 */
record MySqlStats(OutboxDatabase database) {
    /** The number of rows of an index that are read before the rest is estimated. */
    static final int BOUND = 10_000;

    /** The same for a count that may take its time. */
    static final int LARGE = 1_000_000;

    private static final String COUNTS = Arrays.stream(OutboxStatus.values())
            .map(status -> counted("", "status", "status = '%s'".formatted(status.text()), status.text()))
            .collect(joining(",\n"));

    /** The first unsettled entries of their ordering keys, among the earliest entries of the segments. */
    private static final String HEADS = """
            SELECT MIN(early.id) AS id FROM (
                SELECT id, ordering_key, destination FROM @outbox FORCE INDEX (segment_order) WHERE open_segment >= 0
                ORDER BY open_segment, destination, id LIMIT %d) AS early
            GROUP BY early.ordering_key, early.destination""";

    private static final String READY = """
            (o.status = 'sending' AND o.lease_until <= @now
                OR o.status IN ('pending', 'failed') AND o.next_run_at <= @now AND (o.expires_at IS NULL OR o.expires_at > @now))""";

    /** The due entries of one destination without an ordering key. */
    private static final String DUE = """
            (SELECT o.due_at AS due_at FROM @outbox o FORCE INDEX (due) WHERE o.destination = ? AND o.due_at <= @now AND %s
            ORDER BY o.due_at, o.id LIMIT %%d)
            UNION ALL
            """.formatted(READY);

    private static final String READ = """
            SELECT @now AS now, %s,
                %s,
                %s,
                %s,
                %s,
                due.entries AS due, due.oldest AS oldest_due,
                (SELECT COALESCE(MAX(id) - MIN(id) + 1, 0) FROM @outbox) AS span
            FROM (SELECT COUNT(*) AS entries, MIN(due_at) AS oldest FROM (
                    %%2$s
                    SELECT CASE o.status WHEN 'sending' THEN o.lease_until ELSE o.next_run_at END AS due_at
                    FROM (%s) AS head JOIN @outbox o ON o.id = head.id
                    WHERE %s AND NOT EXISTS (SELECT 1 FROM @outbox sent
                        WHERE sent.ordering_key = o.ordering_key AND sent.destination = o.destination AND sent.status = 'sending' AND sent.id > o.id
                            AND sent.lease_until > @now)) AS ready) AS due""".formatted(
                    COUNTS,
                    counted("o", "status", "o.status = 'sending' AND o.lease_until <= @now", "lapsed"),
                    counted("o", "status", "o.status = 'failed' AND o.next_run_at = @never", "parked"),
                    counted(
                            "o",
                            "status",
                            "o.status = 'failed' AND o.next_run_at = @never AND o.outcome_unknown",
                            "parked_unknown"),
                    counted("o", "segment_order", "o.open_segment >= 0", "segmented"),
                    HEADS.replace("%d", "%1$d"),
                    READY);

    private static String counted(String alias, String index, String condition, String name) {
        return "(SELECT COUNT(*) FROM (SELECT 1 FROM @outbox %s FORCE INDEX (%s) WHERE %s LIMIT %%1$d) AS counted) AS %s"
                .formatted(alias, index, condition, name);
    }

    OutboxStats read(int bound) {
        Set<String> destinations = new MySqlWaiting(database).known();
        String plain = DUE.formatted(bound).repeat(destinations.size());
        return database.row(
                "counting entries of " + database.tables(),
                READ.formatted(bound, plain),
                p -> Placeholders.texts(p, destinations),
                row -> read(row, bound));
    }

    private static OutboxStats read(ResultSet row, int bound) throws SQLException {
        Map<OutboxStatus, Long> entries = new EnumMap<>(OutboxStatus.class);
        Set<OutboxStatus> estimated = EnumSet.noneOf(OutboxStatus.class);
        long left = row.getLong("span");
        for (OutboxStatus status : OutboxStatus.values()) {
            long counted = row.getLong(status.text());
            entries.put(status, counted);
            left -= counted;
            if (counted == bound) {
                estimated.add(status);
            }
        }
        long more = estimated.isEmpty() ? 0 : Math.max(0, left) / estimated.size();
        estimated.forEach(status -> entries.merge(status, more, Long::sum));
        long due = row.getLong("due");
        return new OutboxStats(
                JdbcTimestamps.clock(row, "now"),
                entries,
                due,
                JdbcTimestamps.optionalClock(row, "oldest_due"),
                row.getLong("lapsed"),
                row.getLong("parked"),
                row.getLong("parked_unknown"),
                estimated,
                atLeast(row, due, bound));
    }

    private static Set<OutboxStats.Figure> atLeast(ResultSet row, long due, int bound) throws SQLException {
        Set<OutboxStats.Figure> atLeast = EnumSet.noneOf(OutboxStats.Figure.class);
        boolean segmented = row.getLong("segmented") == bound;
        if (segmented || due >= bound) {
            atLeast.add(OutboxStats.Figure.DUE);
        }
        if (segmented) {
            atLeast.add(OutboxStats.Figure.LAG);
        }
        if (row.getLong("lapsed") == bound) {
            atLeast.add(OutboxStats.Figure.LEASES_EXPIRED);
        }
        if (row.getLong("parked") == bound) {
            atLeast.add(OutboxStats.Figure.PARKED);
        }
        return atLeast;
    }
}
