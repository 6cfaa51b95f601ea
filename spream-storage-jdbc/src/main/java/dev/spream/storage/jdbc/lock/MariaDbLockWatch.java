package dev.spream.storage.jdbc.lock;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * What MariaDB shows: of locks only those that somebody waits for, and those who wait. All of it is of one moment, which may
 * be a tenth of a second past: so long the server keeps what it has shown.
 *
 * @see <a href="https://mariadb.com/kb/en/information-schema-innodb_locks-table/">MariaDB: INNODB_LOCKS</a>
 * @see <a href="https://mariadb.com/kb/en/information-schema-innodb_lock_waits-table/">MariaDB: INNODB_LOCK_WAITS</a>
 */
final class MariaDbLockWatch implements LockWatch {
    private static final String LOCKS = """
            SELECT t.trx_mysql_thread_id AS session, l.lock_table, l.lock_mode, l.lock_data,
                COALESCE(l.lock_id = t.trx_requested_lock_id, FALSE) AS waits
            FROM information_schema.INNODB_LOCKS l JOIN information_schema.INNODB_TRX t ON t.trx_id = l.lock_trx_id""";

    private static final String WAITS = """
            SELECT r.trx_mysql_thread_id AS session, b.trx_mysql_thread_id AS blocker
            FROM information_schema.INNODB_LOCK_WAITS w
            JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id
            JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id""";

    private final String table;

    MariaDbLockWatch(String database) {
        this.table = "`%s`.`hier_lock_buckets`".formatted(database);
    }

    @Override
    public View look(Connection connection, Set<String> reported) throws SQLException {
        ShownLocks shown = new ShownLocks();
        try (Statement statement = connection.createStatement()) {
            readLocks(statement, shown);
            readWaits(statement, shown);
            Instant now = InnoDbSessions.read(connection, shown);
            shown.concernsConnected(reported);
            return new View(now, false, shown.sessions(), InnoDbSessions.ENDING, List.of());
        } catch (SQLException e) {
            throw InnoDbSessions.denied(connection, "GRANT PROCESS ON *.* TO ...", e);
        }
    }

    private void readLocks(Statement statement, ShownLocks shown) throws SQLException {
        try (ResultSet row = statement.executeQuery(LOCKS)) {
            while (row.next()) {
                String session = row.getString("session");
                boolean waits = row.getBoolean("waits");
                if (table.equals(row.getString("lock_table"))) {
                    shown.locks(
                            session,
                            InnoDbMode.key(row.getString("lock_data")),
                            InnoDbMode.mode(row.getString("lock_mode")),
                            waits);
                } else if (waits) {
                    shown.waitsElsewhere(session);
                }
            }
        }
    }

    private static void readWaits(Statement statement, ShownLocks shown) throws SQLException {
        try (ResultSet row = statement.executeQuery(WAITS)) {
            while (row.next()) {
                shown.blocks(row.getString("blocker"), row.getString("session"));
            }
        }
    }
}
