package dev.spream.storage.jdbc.lock.postgres;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.inspection.LockSession;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockMonitor;
import dev.spream.storage.jdbc.lock.dialect.ShownLocks;
import dev.spream.storage.jdbc.lock.dialect.ShownLocks.Connected;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The view of locks in PostgreSQL. The server shows the sessions that wait for each other, and all advisory locks. It
 * shows only those row locks that have waiters, by the row's location, because a held row lock is stored in the row
 * itself.
 *
 * @see <a href="https://www.postgresql.org/docs/current/view-pg-locks.html">PostgreSQL: pg_locks</a>
 * @see <a href="https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SESSION">PostgreSQL:
 *     pg_blocking_pids</a>
 */
record PostgresLockMonitor(SchemaName schema, boolean advisory, BucketSpace space) implements LockMonitor {
    /**
     * Selects the locks of keys, and all others with waiters. Locks of a session without a transaction belong to
     * another program, since the locks of keys end with their transaction.
     */
    private static final String ADVISORY = """
            SELECT coalesce(l.pid, 0)::text AS session, l.granted, l.mode,
                CASE WHEN l.locktype = 'advisory' AND l.objsubid = 1 AND a.state IS DISTINCT FROM 'idle'
                    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    THEN (l.classid::bigint << 32) | l.objid::bigint END AS number
            FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' OR NOT l.granted""";

    /**
     * Selects the row locks. A transaction that locks a row holds the table's lock until its end. A waiter for a row
     * holds the lock of the tuple, or waits for it behind another waiter. Rows of buckets never change, and keep their
     * location.
     *
     * @see <a
     *     href="https://github.com/postgres/postgres/blob/master/src/backend/access/heap/README.tuplock">PostgreSQL:
     *     locking tuples</a>
     */
    private static final String ROWS = """
            SELECT coalesce(l.pid, 0)::text AS session, l.locktype, l.mode, b.level, b.bucket,
                l.ours AND l.locktype = 'relation' AND l.granted AS locks,
                EXISTS (SELECT FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted) AS waits
            FROM (
                SELECT *, coalesce(relation = '@hier_lock_buckets'::regclass
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()), false) AS ours
                FROM pg_locks
            ) l
            LEFT JOIN LATERAL (
                SELECT level, bucket FROM @hier_lock_buckets
                WHERE l.ours AND l.locktype = 'tuple' AND ctid = format('(%s,%s)', l.page, l.tuple)::tid LIMIT 1
            ) b ON true
            WHERE l.locktype = 'tuple' OR l.ours AND l.locktype = 'relation' AND l.mode = 'RowShareLock'
                OR NOT l.granted AND l.locktype <> 'transactionid'""";

    private static final String SESSIONS = """
            WITH waiting AS MATERIALIZED (
                SELECT pid, min(waitstart) AS since FROM pg_locks WHERE NOT granted GROUP BY pid
            )
            SELECT clock_timestamp() AS now, a.pid::text AS session, coalesce(a.usename, '') AS client,
                coalesce(host(a.client_addr), '') AS address, coalesce(a.application_name, '') AS application,
                coalesce(a.state, '') AS state, a.state_change, a.xact_start, w.since AS waiting_since,
                CASE WHEN w.pid IS NOT NULL THEN pg_blocking_pids(a.pid) END AS blockers
            FROM pg_stat_activity a LEFT JOIN waiting w ON w.pid = a.pid
            WHERE a.datname = current_database()""";

    private static final String ENDING = "SELECT pg_terminate_backend(?)";

    /** The id that stands for all prepared transactions, which have no session. */
    private static final String PREPARED = "0";

    @Override
    public View look(Connection connection, Map<String, Set<LockKey>> reported) throws SQLException {
        ShownLocks shown = new ShownLocks();
        shown.connected(PREPARED, Connected.of("", "prepared, see pg_prepared_xacts"));
        Statements statements = new Statements(connection, schema::in);
        if (advisory) {
            readAdvisory(statements, shown);
        } else {
            readRows(statements, shown);
        }
        Instant now = readSessions(statements, shown);
        List<LockSession> sessions = shown.sessions();
        return new View(now, advisory, sessions, ENDING, notes(connection, sessions));
    }

    private void readAdvisory(Statements statements, ShownLocks shown) throws SQLException {
        AdvisoryKeys keys = new AdvisoryKeys(schema);
        statements.each(ADVISORY, p -> {}, row -> {
            String session = row.getString("session");
            Optional<LockKey> key =
                    row.getObject("number") == null ? Optional.empty() : keys.key(row.getLong("number"), space);
            LockMode mode = row.getString("mode").equals("ShareLock") ? LockMode.SHARED : LockMode.EXCLUSIVE;
            if (key.isPresent() && row.getBoolean("granted")) {
                shown.holds(session, key.get(), mode);
            } else if (key.isPresent()) {
                shown.wants(session, key.get(), mode);
            } else if (!row.getBoolean("granted")) {
                shown.waitsElsewhere(session);
            }
        });
    }

    private void readRows(Statements statements, ShownLocks shown) throws SQLException {
        statements.each(ROWS, p -> {}, row -> {
            String session = row.getString("session");
            if (row.getBoolean("locks")) {
                shown.concerns(session);
            } else if (row.getBoolean("waits") && row.getObject("level") != null) {
                boolean shared = row.getString("mode").equals("RowShareLock");
                shown.wants(
                        session,
                        new LockKey(row.getInt("level"), row.getLong("bucket")),
                        shared ? LockMode.SHARED : LockMode.EXCLUSIVE);
            } else if (row.getBoolean("waits")) {
                shown.waitsElsewhere(session);
            }
        });
    }

    private static Instant readSessions(Statements statements, ShownLocks shown) throws SQLException {
        List<Instant> now = statements.rows(SESSIONS, p -> {}, row -> {
            String session = row.getString("session");
            shown.connected(
                    session,
                    new Connected(
                            new LockSession.Client(
                                    row.getString("client"),
                                    row.getString("address"),
                                    row.getString("application"),
                                    row.getString("state"),
                                    JdbcTimestamps.optionalClock(row, "state_change")),
                            JdbcTimestamps.optionalClock(row, "xact_start"),
                            JdbcTimestamps.optionalClock(row, "waiting_since")));
            for (String blocker : blockers(row.getArray("blockers"))) {
                shown.blocks(blocker, session);
            }
            return JdbcTimestamps.clock(row, "now");
        });
        return now.isEmpty() ? Instant.EPOCH : now.getLast();
    }

    private static List<String> blockers(@Nullable Array pids) throws SQLException {
        return pids == null
                ? List.of()
                : List.of((Integer[]) pids.getArray()).stream()
                        .map(String::valueOf)
                        .toList();
    }

    /**
     * Returns the notes. Without a privilege the server shows the sessions of other users and their locks, but not
     * their activity.
     */
    private static List<String> notes(Connection connection, List<LockSession> sessions) throws SQLException {
        boolean hidden = sessions.stream()
                .anyMatch(session -> !session.client().user().isEmpty()
                        && session.client().state().isEmpty());
        return hidden
                ? List.of(
                        "the activity of other users' sessions and its time are hidden from this user: GRANT pg_read_all_stats TO %s"
                                .formatted(connection.getMetaData().getUserName()))
                : List.of();
    }
}
