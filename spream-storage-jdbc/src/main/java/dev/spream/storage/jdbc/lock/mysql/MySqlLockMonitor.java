package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.LockKey;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockMonitor;
import dev.spream.storage.jdbc.lock.dialect.ShownLocks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The view of locks in MySQL: all row locks, and the sessions that wait for each other.
 *
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/performance-schema-data-locks-table.html">MySQL: data_locks</a>
 * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/performance-schema-data-lock-waits-table.html">MySQL:
 *     data_lock_waits</a>
 */
record MySqlLockMonitor(String database) implements LockMonitor {
    private static final String LOCKS = """
            SELECT t.PROCESSLIST_ID AS session, l.LOCK_MODE AS mode, l.LOCK_STATUS AS status, l.LOCK_DATA AS data,
                l.OBJECT_SCHEMA = ? AND l.OBJECT_NAME = 'hier_lock_buckets' AS ours
            FROM performance_schema.data_locks l JOIN performance_schema.threads t ON t.THREAD_ID = l.THREAD_ID
            WHERE l.LOCK_STATUS = 'WAITING'
                OR l.LOCK_TYPE = 'RECORD' AND l.OBJECT_SCHEMA = ? AND l.OBJECT_NAME = 'hier_lock_buckets'""";

    private static final String WAITS = """
            SELECT r.PROCESSLIST_ID AS session, b.PROCESSLIST_ID AS blocker
            FROM performance_schema.data_lock_waits w
            JOIN performance_schema.threads r ON r.THREAD_ID = w.REQUESTING_THREAD_ID
            JOIN performance_schema.threads b ON b.THREAD_ID = w.BLOCKING_THREAD_ID""";

    @Override
    public View look(Connection connection, Map<String, Set<LockKey>> reported) throws SQLException {
        ShownLocks shown = new ShownLocks();
        Statements statements = new Statements(connection, UnaryOperator.identity());
        try {
            statements.each(LOCKS, p -> p.text(database).text(database), row -> read(row, shown));
            statements.each(WAITS, p -> {}, row -> shown.blocks(row.getString("blocker"), row.getString("session")));
            Instant now = InnoDbSessions.read(connection, shown);
            shown.concernsConnected(reported.keySet());
            return new View(now, true, shown.sessions(), InnoDbSessions.ENDING, List.of());
        } catch (SQLException e) {
            throw InnoDbSessions.denied(
                    connection, "GRANT PROCESS ON *.* TO ...; GRANT SELECT ON performance_schema.* TO ...", e);
        }
    }

    private static void read(ResultSet row, ShownLocks shown) throws SQLException {
        String session = row.getString("session");
        String mode = row.getString("mode");
        boolean waits = row.getString("status").equals("WAITING");
        if (row.getBoolean("ours")) {
            shown.locks(session, InnoDbSessions.key(row.getString("data")), InnoDbSessions.mode(mode), waits);
        } else if (waits) {
            shown.waitsElsewhere(session);
        }
    }
}
