package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.SessionTexts;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Locks tables against all readers until the transaction ends, without making readers queue for long behind a session
 * that holds them: each attempt is short and releases its locks.
 *
 * <p>Attempts grow until the last ones are longer than {@code deadlock_timeout}, after which the server cancels an
 * autovacuum that blocks a waiter. Only the wait for the first table is that long: a wait for another table, while the
 * first is locked, may block a reader that holds the other one, so it ends after half that time, before the server
 * would detect a deadlock and cancel the reader.
 */
final class TableLocks {
    private static final Duration FIRST_ATTEMPT = Duration.ofMillis(100);
    private static final int GROWTH = 4;

    /** The assumed time after which the server has cancelled a vacuum. */
    private static final Duration VACUUM_ENDS = Duration.ofMillis(500);

    private static final String DEADLOCK_TIMEOUT =
            "SELECT setting::bigint AS millis FROM pg_settings WHERE name = 'deadlock_timeout'";

    private static final String WAIT = "SELECT pg_sleep(0.05)";
    private static final Set<String> NOT_HAD = Set.of("55P03", "40P01");

    /** Clears the list of sessions, which the server otherwise keeps in a transaction as of the first query. */
    private static final String FORGET_SESSIONS = "SELECT pg_stat_clear_snapshot()";

    /**
     * A reader is blocked by a session that holds a table exclusively, or waits to; an exclusive lock is blocked by
     * every session that holds the table.
     */
    private static final String HOLDERS = """
            SELECT DISTINCT a.pid, a.application_name, extract(epoch FROM clock_timestamp() - a.xact_start)::bigint AS seconds,
                l.relation::regclass AS name, l.granted, left(a.query, 200) AS query
            FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
            JOIN unnest(?::text[]) AS t (name) ON l.relation = t.name::regclass
            WHERE l.locktype = 'relation' AND l.pid <> pg_backend_pid()
                AND CASE WHEN ?::boolean THEN l.mode = 'AccessExclusiveLock' ELSE l.granted END
                AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
            ORDER BY 3 DESC, 1 LIMIT 5""";

    private final ProjectionTransaction transaction;
    private final List<String> tables;
    private final Duration deadlock;

    private TableLocks(ProjectionTransaction transaction, List<String> tables, Duration deadlock) {
        this.transaction = transaction;
        this.tables = new ArrayList<>(tables);
        this.deadlock = deadlock;
    }

    /**
     * @param tables quoted, with their schemas; readers of later tables wait for a shorter time
     * @throws IllegalStateException if another session holds one of them until the timeout is exceeded
     */
    static void take(ProjectionTransaction transaction, String projection, List<String> tables, QuiescedVersions stand)
            throws SQLException {
        if (tables.isEmpty()) {
            return;
        }
        new TableLocks(transaction, tables, deadlockTimeout(transaction)).take(projection, stand);
    }

    private static Duration deadlockTimeout(ProjectionTransaction transaction) throws SQLException {
        List<Long> millis = transaction.rows(DEADLOCK_TIMEOUT, p -> {}, row -> row.getLong("millis"));
        return Duration.ofMillis(millis.getFirst());
    }

    private void take(String projection, QuiescedVersions stand) throws SQLException {
        Duration longest = deadlock.plus(VACUUM_ENDS);
        Duration limit = FIRST_ATTEMPT;
        for (Optional<String> missed = attempt(limit); missed.isPresent(); missed = attempt(limit)) {
            if (stand.left().isZero()) {
                throw new IllegalStateException(
                        "the tables of projection '%s' could not be locked: %s; nothing was changed: try again with a longer timeout, or end that session"
                                .formatted(projection, holders(transaction, tables, false)));
            }
            tables.remove(missed.get());
            tables.addFirst(missed.get());
            transaction.rows(WAIT, p -> {}, row -> true);
            limit = shorter(limit.multipliedBy(GROWTH), shorter(longest, longer(stand.left(), FIRST_ATTEMPT)));
        }
    }

    /** Locks all tables or none; returns the one that could not be locked in time. */
    private Optional<String> attempt(Duration limit) throws SQLException {
        Connection connection = transaction.connection();
        Savepoint before = connection.setSavepoint();
        long end = System.nanoTime() + limit.toNanos();
        for (String table : tables) {
            try {
                QuiescedVersions.limitLocks(transaction, Duration.ofNanos(end - System.nanoTime()));
                VersionSchemas.execute(transaction, "LOCK TABLE %s IN ACCESS EXCLUSIVE MODE".formatted(table));
            } catch (SQLException e) {
                if (!NOT_HAD.contains(String.valueOf(e.getSQLState()))) {
                    throw e;
                }
                connection.rollback(before);
                return Optional.of(table);
            }
            if (table.equals(tables.getFirst())) {
                end = System.nanoTime() + shorter(limit, deadlock.dividedBy(2)).toNanos();
            }
        }
        return Optional.empty();
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /**
     * Returns the sessions that block a lock of the tables.
     *
     * @param tables the tables, quoted, with their schemas
     * @param exclusive whether to return only sessions that hold an exclusive lock or wait for one
     */
    static String holders(ProjectionTransaction transaction, List<String> tables, boolean exclusive)
            throws SQLException {
        StatementBatch trip = transaction.next();
        trip.rows(FORGET_SESSIONS, p -> {}, row -> true);
        List<String> holders = trip.rows(
                HOLDERS,
                p -> p.texts(tables).text(Boolean.toString(exclusive)),
                row -> "session %d ('%s') %s %s, %s"
                        .formatted(
                                row.getInt("pid"),
                                row.getString("application_name"),
                                row.getBoolean("granted") ? "holds" : "waits for",
                                row.getString("name"),
                                SessionTexts.doing(row)));
        trip.run();
        return holders.isEmpty() ? "the sessions that held them have ended" : String.join("; ", holders);
    }
}
