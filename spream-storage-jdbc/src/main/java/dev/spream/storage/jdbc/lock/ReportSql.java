package dev.spream.storage.jdbc.lock;

/**
 * How reports are stored and read in one kind of database, as statements with {@code @} for the place.
 *
 * @param putOwner process, session, label, held, wanted, microseconds held, microseconds waited (0 if not), microseconds to
 *     live
 * @param addWaits level, bucket, waits, microseconds waited
 * @param owners the owners of processes that are alive, the newest report first: process, session, label, held, wanted,
 *     held_micros and waiting_micros
 * @param waits level, bucket, waits and waited_micros, of so many hours
 * @param expired the processes of which there are expired owners
 * @param dropWaits removes what is older than so many hours
 */
record ReportSql(
        String putOwner,
        String addWaits,
        String owners,
        String waits,
        String expired,
        String dropExpired,
        String dropWaits) {
    static final String DROP_OWNERS = "DELETE FROM @hier_lock_owner WHERE process = ?";

    /** The hour is that of the server's clock in UTC. */
    static final ReportSql POSTGRES = new ReportSql(
            """
            INSERT INTO @hier_lock_owner
                (process, session, label, held, wanted, held_since, waiting_since, expires_at)
            SELECT r.process, r.session, r.label, r.held, r.wanted,
                clock.now - nullif(r.held_micros, 0) * interval '1 microsecond',
                clock.now - nullif(r.waiting_micros, 0) * interval '1 microsecond',
                clock.now + r.live_micros * interval '1 microsecond'
            FROM (SELECT clock_timestamp() AS now) AS clock,
                (SELECT ?::text, ?::text, ?::text, ?::text, ?::text, ?::bigint, ?::bigint, ?::bigint)
                    AS r (process, session, label, held, wanted, held_micros, waiting_micros, live_micros)
            ON CONFLICT (process, session) DO UPDATE SET label = excluded.label, held = excluded.held,
                wanted = excluded.wanted, held_since = excluded.held_since, waiting_since = excluded.waiting_since,
                expires_at = excluded.expires_at""",
            """
            INSERT INTO @hier_lock_wait AS w (level, bucket, hour, waits, waited_micros)
            VALUES (?, ?, date_trunc('hour', clock_timestamp(), 'UTC'), ?, ?)
            ON CONFLICT (level, bucket, hour) DO UPDATE
            SET waits = w.waits + excluded.waits, waited_micros = w.waited_micros + excluded.waited_micros""",
            """
            SELECT process, session, label, held, wanted,
                (extract(epoch FROM clock_timestamp() - held_since) * 1000000)::bigint AS held_micros,
                (extract(epoch FROM clock_timestamp() - waiting_since) * 1000000)::bigint AS waiting_micros
            FROM @hier_lock_owner WHERE expires_at > clock_timestamp() ORDER BY expires_at DESC""",
            """
            SELECT level, bucket, sum(waits)::bigint AS waits, sum(waited_micros)::bigint AS waited_micros
            FROM @hier_lock_wait WHERE hour > clock_timestamp() - ? * interval '1 hour' GROUP BY level, bucket""",
            "SELECT DISTINCT process FROM @hier_lock_owner WHERE expires_at <= clock_timestamp() ORDER BY process",
            "DELETE FROM @hier_lock_owner WHERE process = ? AND expires_at <= clock_timestamp()",
            "DELETE FROM @hier_lock_wait WHERE hour <= clock_timestamp() - ? * interval '1 hour'");

    /** {@code VALUES()} is what both MySQL and MariaDB know. */
    static final ReportSql MYSQL = new ReportSql(
            """
            INSERT INTO @hier_lock_owner
                (process, session, label, held, wanted, held_since, waiting_since, expires_at)
            VALUES (?, ?, ?, ?, ?,
                UTC_TIMESTAMP(6) - INTERVAL NULLIF(?, 0) MICROSECOND,
                UTC_TIMESTAMP(6) - INTERVAL NULLIF(?, 0) MICROSECOND,
                UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)
            ON DUPLICATE KEY UPDATE label = VALUES(label), held = VALUES(held), wanted = VALUES(wanted),
                held_since = VALUES(held_since), waiting_since = VALUES(waiting_since),
                expires_at = VALUES(expires_at)""",
            """
            INSERT INTO @hier_lock_wait (level, bucket, hour, waits, waited_micros)
            VALUES (?, ?, DATE_FORMAT(UTC_TIMESTAMP(), '%Y-%m-%d %H:00:00'), ?, ?)
            ON DUPLICATE KEY UPDATE waits = waits + VALUES(waits),
                waited_micros = waited_micros + VALUES(waited_micros)""",
            """
            SELECT process, session, label, held, wanted,
                TIMESTAMPDIFF(MICROSECOND, held_since, UTC_TIMESTAMP(6)) AS held_micros,
                TIMESTAMPDIFF(MICROSECOND, waiting_since, UTC_TIMESTAMP(6)) AS waiting_micros
            FROM @hier_lock_owner WHERE expires_at > UTC_TIMESTAMP(6) ORDER BY expires_at DESC""",
            """
            SELECT level, bucket, CAST(SUM(waits) AS SIGNED) AS waits,
                CAST(SUM(waited_micros) AS SIGNED) AS waited_micros
            FROM @hier_lock_wait WHERE hour > UTC_TIMESTAMP() - INTERVAL ? HOUR GROUP BY level, bucket""",
            "SELECT DISTINCT process FROM @hier_lock_owner WHERE expires_at <= UTC_TIMESTAMP(6) ORDER BY process",
            "DELETE FROM @hier_lock_owner WHERE process = ? AND expires_at <= UTC_TIMESTAMP(6)",
            "DELETE FROM @hier_lock_wait WHERE hour <= UTC_TIMESTAMP() - INTERVAL ? HOUR");
}
