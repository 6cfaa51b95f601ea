package dev.spream.storage.jdbc;

import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.FrontierChanges.LiveWorkers;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The looks at the frontier. A look is one statement, and its mark is the snapshot of that statement: rows have the id of the
 * transaction that changed them last, and a later look returns those whose transaction the earlier one could not see, be it
 * because it was still open. A partition that was removed is returned as a finished one.
 *
 * <p>Transaction ids count in one run of one server. So a mark names the run by the start of the server. A server that
 * survives the crash of one of its processes may assign ids again that were not on disk: there a mark that is ahead of the
 * server is not continued. Rows that were copied from another server may have ids that this one has yet to assign: they did
 * not change here.
 */
record FrontierLooks(Database database, String subscription) {
    /** The start of the server, a snapshot as the server writes it (oldest open id, next id, open ids), and the live workers. */
    private static final Pattern MARK = Pattern.compile("(\\d+\\.\\d+)/(\\d+:\\d+:[\\d,]*)/([\\da-f]+)");

    /**
     * Selects what changed. The ids that an earlier snapshot cannot see are those that were open then, and those from its
     * next one on: each is looked up, so that a transaction that stays open for hours makes no look longer. The lateral
     * subqueries have a limit, so that each parent, each source of a move-in and each watched partition is looked up by its
     * key.
     *
     * <p>{@code now()} is the time at which the statement arrived; {@code statement_timestamp()} is that of the message which
     * executes it, and may come after the snapshot.
     */
    static final String LOOK = """
            WITH clock AS MATERIALIZED (
                SELECT now() AS as_of, clock_timestamp() AS read_at
            ), look AS MATERIALIZED (
                SELECT server.started || '/' || server.snapshot AS mark, pg_snapshot_xmax(server.snapshot) AS next_id,
                    CASE WHEN earlier.started = server.started
                        AND pg_snapshot_xmax(earlier.snapshot) <= pg_snapshot_xmax(server.snapshot)
                        AND NOT EXISTS (SELECT FROM @subscriptions s
                            WHERE s.name = ? AND s.corrected_in < pg_snapshot_xmax(server.snapshot)
                                AND NOT pg_visible_in_snapshot(s.corrected_in, earlier.snapshot))
                        THEN earlier.snapshot END AS since,
                    earlier.version AS earlier_version
                FROM (SELECT extract(epoch FROM pg_postmaster_start_time())::text AS started,
                        pg_current_snapshot() AS snapshot) AS server,
                    (SELECT ?::text AS started, ?::pg_snapshot AS snapshot, ?::text AS version) AS earlier
            ), found AS MATERIALIZED (
                SELECT * FROM @partitions
                WHERE subscription = ? AND state <> 'FINISHED' AND (SELECT since IS NULL FROM look)
                UNION ALL
                SELECT changed.* FROM (
                    SELECT pg_snapshot_xmax(since) AS first, next_id AS last FROM look
                    UNION ALL SELECT id, id FROM look, pg_snapshot_xip(since) AS id) AS unseen
                CROSS JOIN LATERAL (
                    SELECT * FROM @partitions p
                    WHERE p.subscription = ? AND p.changed_in BETWEEN unseen.first AND unseen.last
                    OFFSET 0) AS changed
                UNION ALL
                SELECT stored.* FROM unnest(?::text[]) AS watched(token) CROSS JOIN LATERAL (
                    SELECT * FROM @partitions p
                    WHERE p.subscription = ? AND p.token_hash = %s
                    LIMIT 1) AS stored
            ), predecessor AS (
                SELECT DISTINCT %s AS token_hash FROM found f, unnest(f.parent_tokens || f.move_in_sources) AS named
                WHERE f.state <> 'FINISHED'
            ), finished AS (
                SELECT stored.* FROM predecessor CROSS JOIN LATERAL (
                    SELECT * FROM @partitions p
                    WHERE p.subscription = ? AND p.token_hash = predecessor.token_hash
                    LIMIT 1) AS stored
                WHERE stored.state = 'FINISHED' AND stored.removed_at IS NULL
            ), live AS (
                SELECT encode(sha256(convert_to(coalesce(string_agg(
                        ROW(w.worker, w.capacity, w.whole_transactions)::text, ',' ORDER BY w.worker COLLATE "C"),
                        ''), 'UTF8')), 'hex') AS version,
                    array_agg(ARRAY[w.worker, w.capacity::text, w.whole_transactions::text,
                        extract(epoch FROM w.registered_at)::text, extract(epoch FROM w.alive_until)::text,
                        w.low_watermark::text, w.low_watermark_as_of::text]) AS workers,
                    min(w.alive_until) AS first_end, min(w.low_watermark) AS low_watermark,
                    CASE WHEN count(*) = count(w.low_watermark_as_of) THEN min(w.low_watermark_as_of) END
                        AS low_watermark_as_of
                FROM clock JOIN @workers w ON w.subscription = ? AND w.alive_until > clock.read_at
            )
            SELECT clock.*, look.mark || '/' || live.version AS mark, look.since IS NULL AS complete,
                live.version IS DISTINCT FROM look.earlier_version AS workers_differ,
                CASE WHEN live.version IS DISTINCT FROM look.earlier_version THEN live.workers END AS workers,
                live.first_end, live.low_watermark, live.low_watermark_as_of, p.*
            FROM clock CROSS JOIN look CROSS JOIN live
            LEFT JOIN (SELECT * FROM found UNION ALL SELECT * FROM finished) AS p ON true""".formatted(PartitionRow.hashOf("watched.token"), PartitionRow.hashOf("named"));

    FrontierChanges since(Optional<String> mark, Set<PartitionToken> watched) {
        Optional<Matcher> earlier = mark.map(FrontierLooks::parsed);
        List<LookRow> rows = database.rows(
                "looking at the frontier of subscription '%s'".formatted(subscription),
                LOOK,
                p -> p.text(subscription)
                        .optionalText(earlier.map(parts -> parts.group(1)))
                        .optionalText(earlier.map(parts -> parts.group(2)))
                        .optionalText(earlier.map(parts -> parts.group(3)))
                        .text(subscription)
                        .text(subscription)
                        .texts(watched, PartitionToken::value)
                        .text(subscription)
                        .text(subscription)
                        .text(subscription),
                LookRow::read);
        Summary summary = rows.getFirst().summary().orElseThrow();
        return new FrontierChanges(
                summary.complete(),
                PartitionTable.snapshot(
                        rows.stream().map(LookRow::partition).distinct().toList()),
                summary.asOf(),
                Optional.of(summary.mark()),
                summary.workers());
    }

    private static Matcher parsed(String mark) {
        Matcher parts = MARK.matcher(mark);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'%s' is not a mark of this storage".formatted(mark));
        }
        return parts;
    }

    /** A row of a look: a partition, perhaps for the second time, and in the first row the summary, which all rows have. */
    private record LookRow(PartitionTable.SnapshotRow partition, Optional<Summary> summary) {
        static LookRow read(ResultSet row) throws SQLException {
            return new LookRow(
                    PartitionTable.SnapshotRow.read(row),
                    row.isFirst() ? Optional.of(Summary.read(row)) : Optional.empty());
        }
    }

    private record Summary(String mark, boolean complete, Instant asOf, LiveWorkers workers) {
        static Summary read(ResultSet row) throws SQLException {
            return new Summary(
                    row.getString("mark"),
                    row.getBoolean("complete"),
                    JdbcTimestamps.clock(row, "as_of"),
                    new LiveWorkers(
                            row.getBoolean("workers_differ")
                                    ? Optional.of(WorkerTable.alive(row.getArray("workers")))
                                    : Optional.empty(),
                            JdbcTimestamps.optionalClock(row, "first_end"),
                            WorkerTable.progress(row)));
        }
    }
}
