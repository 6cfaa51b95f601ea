package dev.spream.storage.jdbc.event;

import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Finds the open transactions for which readers wait.
 *
 * @see <a href="https://www.postgresql.org/docs/current/view-pg-locks.html">PostgreSQL: pg_locks</a>
 * @see <a href="https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-ACTIVITY-VIEW">PostgreSQL:
 *     pg_stat_activity</a>
 */
final class OpenAppendTransactions {
    private static final String FIND = """
            SELECT coalesce(l.pid, 0) AS pid, coalesce(a.usename::text, '') AS client,
                coalesce(a.application_name, '') AS application, nullif(a.state, '') AS state,
                floor(extract(epoch FROM pg_catalog.clock_timestamp() - a.xact_start) * 1000)::bigint AS age
            FROM pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
            WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.mode = 'ShareLock' AND l.granted
                AND l.classid::bigint = %d AND l.objid = '@events'::regclass
                AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
            ORDER BY a.xact_start NULLS FIRST, l.pid""".formatted(EventTable.BARRIER);

    private OpenAppendTransactions() {}

    static List<AppendBlocker> find(EventDatabase database) {
        return database.rows(
                "listing the open appends to " + database.table() + " that block readers",
                FIND,
                p -> {},
                OpenAppendTransactions::read);
    }

    static List<AppendBlocker> find(Connection connection, EventTable table) throws SQLException {
        return new Statements(connection, table::in).rows(FIND, p -> {}, OpenAppendTransactions::read);
    }

    private static AppendBlocker read(ResultSet row) throws SQLException {
        return new AppendBlocker(
                row.getInt("pid"),
                row.getString("client"),
                row.getString("application"),
                Optional.ofNullable(row.getString("state")),
                age(row));
    }

    private static Optional<Duration> age(ResultSet row) throws SQLException {
        long millis = row.getLong("age");
        return row.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }
}
