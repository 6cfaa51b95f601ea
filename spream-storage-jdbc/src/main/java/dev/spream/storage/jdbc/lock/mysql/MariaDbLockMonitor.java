package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.LockKey;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockMonitor;
import dev.spream.storage.jdbc.lock.dialect.ShownLocks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The view of locks in MariaDB: only those with waiters, and the waiting sessions. It is consistent and up to a tenth
 * of a second old, because the server caches these tables that long.
 *
 * <p>A transaction gets a number when it first locks something exclusively. Until then its number is 0, like that of
 * all transactions that only share or read. Among those, a waiter is identified by the lock that it requests, and a
 * blocker by the locks that it reports. A blocker without a report may be any session with row locks.
 *
 * @param table the table of the buckets, quoted, with its database
 * @see <a href="https://mariadb.com/kb/en/information-schema-innodb_locks-table/">MariaDB: INNODB_LOCKS</a>
 * @see <a href="https://mariadb.com/kb/en/information-schema-innodb_lock_waits-table/">MariaDB: INNODB_LOCK_WAITS</a>
 */
record MariaDbLockMonitor(String table) implements LockMonitor {
    private static final String LOCKS = """
            SELECT t.trx_mysql_thread_id AS session, l.lock_table, l.lock_mode, l.lock_data,
                COALESCE(l.lock_id = t.trx_requested_lock_id, FALSE) AS waits
            FROM information_schema.INNODB_LOCKS l JOIN information_schema.INNODB_TRX t ON t.trx_id = l.lock_trx_id
            WHERE t.trx_id <> 0 OR t.trx_requested_lock_id = l.lock_id""";

    /**
     * Selects the waits. The id of a lock consists of the number of its transaction, a colon, and the place of the row.
     * The queue is in the order of time.
     */
    private static final String WAITS = """
            SELECT session, blocker, lock_table, lock_data, blocker_id = 0 AND NOT queued AS unsure
            FROM (
                SELECT r.trx_mysql_thread_id AS session, b.trx_mysql_thread_id AS blocker, l.lock_table, l.lock_data,
                    r.trx_id AS id, b.trx_id AS blocker_id, b.trx_rows_locked AS locked,
                    r.trx_wait_started AS since, b.trx_wait_started AS blocker_since,
                    COALESCE(SUBSTRING_INDEX(b.trx_requested_lock_id, ':', -3)
                        = SUBSTRING_INDEX(r.trx_requested_lock_id, ':', -3), FALSE) AS queued
                FROM information_schema.INNODB_LOCK_WAITS w
                JOIN information_schema.INNODB_TRX r
                    ON r.trx_id = w.requesting_trx_id AND r.trx_requested_lock_id = w.requested_lock_id
                JOIN information_schema.INNODB_TRX b
                    ON b.trx_id = w.blocking_trx_id AND b.trx_mysql_thread_id <> r.trx_mysql_thread_id
                LEFT JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.blocking_lock_id
            ) waits
            WHERE id <> 0 AND blocker_id <> 0
                OR CASE WHEN queued THEN blocker_since < since ELSE blocker_id <> 0 OR locked > 0 END""";

    @Override
    public View look(Connection connection, Map<String, Set<LockKey>> reported) throws SQLException {
        ShownLocks shown = new ShownLocks();
        Statements statements = new Statements(connection, UnaryOperator.identity());
        try {
            readLocks(statements, shown);
            readWaits(statements, shown, reported);
            Instant now = InnoDbSessions.read(connection, shown);
            shown.concernsConnected(reported.keySet());
            return new View(now, false, shown.sessions(), InnoDbSessions.ENDING, List.of());
        } catch (SQLException e) {
            throw InnoDbSessions.denied(connection, "GRANT PROCESS ON *.* TO ...", e);
        }
    }

    private void readLocks(Statements statements, ShownLocks shown) throws SQLException {
        statements.each(LOCKS, p -> {}, row -> {
            String session = row.getString("session");
            boolean waits = row.getBoolean("waits");
            if (table.equals(row.getString("lock_table"))) {
                shown.locks(
                        session,
                        InnoDbSessions.key(row.getString("lock_data")),
                        InnoDbSessions.mode(row.getString("lock_mode")),
                        waits);
            } else if (waits) {
                shown.waitsElsewhere(session);
            }
        });
    }

    private void readWaits(Statements statements, ShownLocks shown, Map<String, Set<LockKey>> reported)
            throws SQLException {
        Set<String> explained = new HashSet<>();
        Map<String, Set<String>> unsure = new HashMap<>();
        statements.each(WAITS, p -> {}, row -> {
            String session = row.getString("session");
            String blocker = row.getString("blocker");
            if (!row.getBoolean("unsure") || reports(blocker, key(row), reported)) {
                shown.blocks(blocker, session);
                explained.add(session);
            } else {
                unsure.computeIfAbsent(session, any -> new TreeSet<>()).add(blocker);
            }
        });
        unsure.keySet().removeAll(explained);
        unsure.forEach(
                (session, blockers) -> likely(blockers, reported).forEach(blocker -> shown.blocks(blocker, session)));
    }

    private Optional<LockKey> key(ResultSet row) throws SQLException {
        return table.equals(row.getString("lock_table"))
                ? InnoDbSessions.key(row.getString("lock_data"))
                : Optional.empty();
    }

    private static boolean reports(String session, Optional<LockKey> key, Map<String, Set<LockKey>> reported) {
        return key.isPresent() && reported.getOrDefault(session, Set.of()).contains(key.get());
    }

    /**
     * Returns the sessions without a report; if all have reported, the reports may be outdated, and all are returned.
     */
    private static List<String> likely(Set<String> sessions, Map<String, Set<LockKey>> reported) {
        List<String> silent = sessions.stream()
                .filter(session -> reported.getOrDefault(session, Set.of()).isEmpty())
                .toList();
        return silent.isEmpty() ? List.copyOf(sessions) : silent;
    }
}
