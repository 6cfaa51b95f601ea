package dev.spream.storage.jdbc.outbox;

import static java.util.stream.Collectors.toSet;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Counts entries in one statement, and so in one snapshot. Unsettled entries are read by the partial indexes for
 * claims. Settled entries are counted if the table is small, and otherwise estimated from the server's statistics,
 * since counting millions would exceed the statement timeout.
 */
record OperationsStats(OutboxDatabase database) {
    /** The number of rows, by the server's statistics, from which on settled entries are estimated. */
    static final long LARGE = 1_000_000;

    static final String READ = """
            WITH moment AS MATERIALIZED (
                SELECT clock_timestamp() AS now
            ), size AS MATERIALIZED (
                SELECT c.reltuples AS tuples, c.reltuples < ? AS is_small, n.nspname, c.relname
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = '@outbox'::regclass
            ), unsettled AS MATERIALIZED (
                SELECT o.id, o.status, o.ordering_key, o.destination, o.next_run_at, o.lease_until, o.expires_at,
                    o.outcome_unknown
                FROM @outbox o WHERE o.status IN ('pending', 'failed') AND o.segment IS NULL
                UNION ALL
                SELECT o.id, o.status, o.ordering_key, o.destination, o.next_run_at, o.lease_until, o.expires_at,
                    o.outcome_unknown
                FROM @outbox o WHERE o.status = 'sending' AND o.segment IS NULL
                UNION ALL
                SELECT o.id, o.status, o.ordering_key, o.destination, o.next_run_at, o.lease_until, o.expires_at,
                    o.outcome_unknown
                FROM @outbox o WHERE o.status IN ('pending', 'sending', 'failed') AND o.segment IS NOT NULL
            ), head AS (
                SELECT DISTINCT ON (u.ordering_key, u.destination) u.* FROM unsettled u
                WHERE u.ordering_key IS NOT NULL
                ORDER BY u.ordering_key, u.destination, u.id
            ), first AS (
                SELECT u.* FROM unsettled u WHERE u.ordering_key IS NULL
                UNION ALL
                SELECT h.* FROM head h
                WHERE NOT EXISTS (SELECT FROM unsettled sent
                    WHERE sent.ordering_key = h.ordering_key AND sent.destination = h.destination
                        AND sent.id > h.id AND sent.status = 'sending'
                        AND sent.lease_until > (SELECT now FROM moment))
            ), due AS (
                SELECT count(*) AS due, min(CASE f.status WHEN 'sending' THEN f.lease_until ELSE f.next_run_at END) AS oldest_due
                FROM first f, moment m
                WHERE f.status = 'sending' AND f.lease_until <= m.now
                    OR f.status <> 'sending' AND f.next_run_at <= m.now AND (f.expires_at IS NULL OR f.expires_at > m.now)
            ), counted AS (
                SELECT count(*) FILTER (WHERE u.status = 'pending') AS pending,
                    count(*) FILTER (WHERE u.status = 'sending') AS sending,
                    count(*) FILTER (WHERE u.status = 'failed') AS failed,
                    count(*) FILTER (WHERE u.status = 'sending' AND u.lease_until <= (SELECT now FROM moment)) AS lapsed,
                    count(*) FILTER (WHERE u.status <> 'sending' AND u.next_run_at = 'infinity') AS parked,
                    count(*) FILTER (WHERE u.status <> 'sending' AND u.next_run_at = 'infinity'
                        AND u.outcome_unknown) AS parked_unknown
                FROM unsettled u
            ), settled AS (
                SELECT count(*) FILTER (WHERE o.status = 'succeeded') AS succeeded,
                    count(*) FILTER (WHERE o.status = 'aborted') AS aborted
                FROM @outbox o WHERE (SELECT is_small FROM size)
            ), believed AS (
                SELECT coalesce(sum(size.tuples * f.part) FILTER (WHERE f.status = 'succeeded'), 0)::bigint AS succeeded,
                    coalesce(sum(size.tuples * f.part) FILTER (WHERE f.status = 'aborted'), 0)::bigint AS aborted
                FROM size
                JOIN pg_stats s ON s.schemaname = size.nspname AND s.tablename = size.relname AND s.attname = 'status'
                CROSS JOIN LATERAL unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS f (status, part)
                WHERE NOT size.is_small
            )
            SELECT m.now, counted.*, due.*,
                CASE WHEN size.is_small THEN settled.succeeded ELSE believed.succeeded END AS succeeded,
                CASE WHEN size.is_small THEN settled.aborted ELSE believed.aborted END AS aborted,
                CASE WHEN NOT size.is_small THEN 'succeeded,aborted' END AS estimated, '' AS at_least
            FROM moment m, size, counted, due, settled, believed""";

    /**
     * The number of entries of a status, and of those with an ordering key, that are counted before the rest is
     * estimated.
     */
    static final int BOUND = 10_000;

    /**
     * Reads at most about as many rows of each index as the bound, and of each destination. Beyond it, the number of entries of a status is
     * estimated from the server's statistics, and the number of due entries is the number of those that were read. Of
     * entries with an ordering key, the earliest ones of each segment are read then; they include the longest due one,
     * unless they are all waiting themselves.
     */
    static final String SAMPLE = """
            WITH RECURSIVE moment AS MATERIALIZED (
                SELECT clock_timestamp() AS now, ?::int AS bound
            ), receiver AS (%s
            ), plain AS MATERIALIZED (
                SELECT e.* FROM receiver r CROSS JOIN LATERAL (
                    SELECT o.destination, o.status, o.next_run_at, o.expires_at FROM @outbox o
                    WHERE o.status IN ('pending', 'failed') AND o.segment IS NULL AND o.destination = r.destination
                    ORDER BY o.next_run_at, o.id LIMIT (SELECT bound FROM moment)) AS e
            ), segmented AS MATERIALIZED (
                SELECT o.status FROM @outbox o
                WHERE o.status IN ('pending', 'sending', 'failed') AND o.segment IS NOT NULL
                ORDER BY o.segment, o.destination, o.id LIMIT (SELECT bound FROM moment)
            ), sending AS MATERIALIZED (
                SELECT o.segment, o.lease_until FROM @outbox o WHERE o.status = 'sending'
                ORDER BY o.lease_until LIMIT (SELECT bound FROM moment)
            ), failed AS MATERIALIZED (
                SELECT o.id FROM @outbox o WHERE o.status = 'failed'
                ORDER BY o.next_run_at, o.id LIMIT (SELECT bound FROM moment)
            ), parked AS MATERIALIZED (
                SELECT o.outcome_unknown FROM @outbox o WHERE o.status = 'failed' AND o.next_run_at = 'infinity'
                ORDER BY o.next_run_at, o.id LIMIT (SELECT bound FROM moment)
            ), settled AS MATERIALIZED (
                SELECT o.status FROM @outbox o WHERE o.status IN ('succeeded', 'aborted')
                ORDER BY o.updated_at, o.id LIMIT (SELECT bound FROM moment)
            ), early AS MATERIALIZED (
                SELECT e.* FROM generate_series(0, 255) AS l (segment) CROSS JOIN LATERAL (
                    SELECT o.id, o.ordering_key, o.destination, o.status, o.next_run_at, o.lease_until, o.expires_at
                    FROM @outbox o
                    WHERE o.status IN ('pending', 'sending', 'failed') AND o.segment = l.segment
                    ORDER BY o.destination, o.id
                    LIMIT (SELECT CASE WHEN (SELECT count(*) FROM segmented) < m.bound THEN m.bound ELSE 1 + m.bound / 256 END
                        FROM moment m)) AS e
            ), head AS (
                SELECT DISTINCT ON (e.ordering_key, e.destination) e.* FROM early e
                ORDER BY e.ordering_key, e.destination, e.id
            ), first AS (
                SELECT p.status, p.next_run_at, NULL::timestamptz AS lease_until, p.expires_at FROM plain p
                UNION ALL
                SELECT 'sending', NULL, s.lease_until, NULL FROM sending s WHERE s.segment IS NULL
                UNION ALL
                SELECT h.status, h.next_run_at, h.lease_until, h.expires_at FROM head h
                LEFT JOIN LATERAL (SELECT 1 AS here FROM @outbox sent
                    WHERE sent.ordering_key = h.ordering_key AND sent.destination = h.destination
                        AND sent.id > h.id AND sent.status = 'sending'
                        AND sent.lease_until > (SELECT now FROM moment)
                    LIMIT 1) AS later ON true
                WHERE later.here IS NULL
            ), due AS (
                SELECT count(*) AS due, min(CASE f.status WHEN 'sending' THEN f.lease_until ELSE f.next_run_at END) AS oldest_due
                FROM first f, moment m
                WHERE f.status = 'sending' AND f.lease_until <= m.now
                    OR f.status <> 'sending' AND f.next_run_at <= m.now AND (f.expires_at IS NULL OR f.expires_at > m.now)
            ), counted (status, entries, is_whole) AS (
                SELECT 'pending', (SELECT count(*) FROM plain WHERE status = 'pending')
                        + (SELECT count(*) FROM segmented WHERE status = 'pending'),
                    (SELECT count(*) FROM plain) < m.bound AND (SELECT count(*) FROM segmented) < m.bound FROM moment m
                UNION ALL
                SELECT 'sending', (SELECT count(*) FROM sending), (SELECT count(*) FROM sending) < m.bound FROM moment m
                UNION ALL
                SELECT 'failed', (SELECT count(*) FROM failed), (SELECT count(*) FROM failed) < m.bound FROM moment m
                UNION ALL
                SELECT s.status, (SELECT count(*) FROM settled WHERE status = s.status),
                    (SELECT count(*) FROM settled) < m.bound FROM moment m, (VALUES ('succeeded'), ('aborted')) AS s (status)
            ), believed AS MATERIALIZED (
                SELECT f.status, (c.reltuples * f.part)::bigint AS entries
                FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = 'status'
                CROSS JOIN LATERAL unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS f (status, part)
                WHERE c.oid = '@outbox'::regclass
            ), known AS (
                SELECT c.status, c.is_whole, CASE WHEN c.is_whole THEN c.entries ELSE greatest(c.entries, b.entries) END AS entries
                FROM counted c LEFT JOIN believed b ON b.status = c.status
            ), further AS (
                SELECT EXISTS (SELECT FROM plain p WHERE p.next_run_at <= m.now
                        GROUP BY p.destination HAVING count(*) >= m.bound) AS plain,
                    (SELECT count(*) FROM segmented) = m.bound AS segmented,
                    (SELECT count(*) FROM sending s WHERE s.lease_until <= m.now) = m.bound AS lapsed,
                    (SELECT count(*) FROM parked) = m.bound AS parked
                FROM moment m
            )
            SELECT m.now, due.*,
                (SELECT count(*) FROM sending s WHERE s.lease_until <= m.now) AS lapsed,
                (SELECT count(*) FROM parked) AS parked,
                (SELECT count(*) FROM parked p WHERE p.outcome_unknown) AS parked_unknown,
                (SELECT entries FROM known WHERE status = 'pending') AS pending,
                (SELECT entries FROM known WHERE status = 'sending') AS sending,
                (SELECT entries FROM known WHERE status = 'failed') AS failed,
                (SELECT entries FROM known WHERE status = 'succeeded') AS succeeded,
                (SELECT entries FROM known WHERE status = 'aborted') AS aborted,
                (SELECT string_agg(status, ',') FROM known WHERE NOT is_whole) AS estimated,
                concat_ws(',', CASE WHEN f.plain OR f.segmented OR f.lapsed THEN 'DUE' END, CASE WHEN f.segmented THEN 'LAG' END,
                    CASE WHEN f.lapsed THEN 'LEASES_EXPIRED' END, CASE WHEN f.parked THEN 'PARKED' END) AS at_least
            FROM moment m, due, further f""".formatted(WaitingEntries.RECEIVERS);

    OutboxStats sample(int bound) {
        return database.row(
                "sampling entries of " + database.tables(), SAMPLE, p -> p.number(bound), OperationsStats::read);
    }

    OutboxStats read() {
        return read(LARGE);
    }

    OutboxStats read(long large) {
        return database.row(
                "counting entries of " + database.tables(), READ, p -> p.number(large), OperationsStats::read);
    }

    private static OutboxStats read(ResultSet row) throws SQLException {
        Map<OutboxStatus, Long> entries = new EnumMap<>(OutboxStatus.class);
        for (OutboxStatus status : OutboxStatus.values()) {
            entries.put(status, row.getLong(status.text()));
        }
        return new OutboxStats(
                JdbcTimestamps.clock(row, "now"),
                entries,
                row.getLong("due"),
                JdbcTimestamps.optionalClock(row, "oldest_due"),
                row.getLong("lapsed"),
                row.getLong("parked"),
                row.getLong("parked_unknown"),
                listed(row, "estimated").map(OutboxStatus::of).collect(toSet()),
                listed(row, "at_least").map(OutboxStats.Figure::valueOf).collect(toSet()));
    }

    private static Stream<String> listed(ResultSet row, String column) throws SQLException {
        String listed = row.getString(column);
        return listed == null || listed.isEmpty() ? Stream.of() : Arrays.stream(listed.split(","));
    }
}
