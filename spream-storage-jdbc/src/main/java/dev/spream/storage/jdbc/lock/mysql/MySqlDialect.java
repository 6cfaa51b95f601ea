package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.internal.MySqlVersion;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A server that speaks MySQL's protocol, as row locks need to know it.
 *
 * @param rollsBackOnTimeout whether a lock timeout rolls back the whole transaction instead of the statement only
 */
record MySqlDialect(MySqlVersion version, boolean rollsBackOnTimeout) {
    /** Uses {@code SHOW}, which omits unknown variables, where a select would fail. */
    private static final String VARIABLES = """
            SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'wsrep_on', 'wsrep_provider',
                'group_replication_group_name', 'group_replication_single_primary_mode',
                'innodb_rollback_on_timeout')""";

    private static final int[] MYSQL_MINIMUM = {8, 0, 1};
    private static final int[] MARIADB_MINIMUM = {10, 6, 0};
    private static final int[] MARIADB_NEW_NAMES = {11, 1, 1};

    /**
     * Queries the server.
     *
     * @throws LockStoreException if it is too old, or not supported
     * @throws BucketSpaceException if other servers accept writes as well, which its row locks do not cover
     */
    static MySqlDialect of(Connection connection) throws SQLException {
        Map<String, String> variables = new HashMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(VARIABLES)) {
            while (rows.next()) {
                variables.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
            }
        }
        return of(variables);
    }

    static MySqlDialect of(Map<String, String> variables) {
        MySqlDialect dialect = new MySqlDialect(
                MySqlVersion.of(variables.getOrDefault("version", "")), isOn(variables, "innodb_rollback_on_timeout"));
        dialect.requireSupported();
        dialect.requireOneWriter(variables);
        return dialect;
    }

    private void requireSupported() {
        if (!version.isAtLeast(MYSQL_MINIMUM, MARIADB_MINIMUM)) {
            throw new LockStoreException(
                    "row locks need MySQL 8.0.1 or newer, or MariaDB 10.6 or newer, for SKIP LOCKED; the server is '%s'"
                            .formatted(version.text()),
                    null);
        }
    }

    /**
     * Rejects a server that is one of several writable ones: a transaction that only locks is not replicated, so each
     * server would lock for itself.
     *
     * @see <a href="https://mariadb.com/kb/en/mariadb-galera-cluster-known-limitations/">MariaDB: limitations of
     *     Galera</a>
     * @see <a href="https://dev.mysql.com/doc/refman/8.4/en/group-replication-limitations.html">MySQL: limitations of
     *     group replication</a>
     */
    private void requireOneWriter(Map<String, String> variables) {
        boolean galera = isOn(variables, "wsrep_on")
                && !variables.getOrDefault("wsrep_provider", "none").equalsIgnoreCase("none");
        boolean manyPrimaries =
                !variables.getOrDefault("group_replication_group_name", "").isEmpty()
                        && !isOn(variables, "group_replication_single_primary_mode");
        if (galera || manyPrimaries) {
            throw new BucketSpaceException(
                    "the server is one of several that accept writes (%s), and row locks taken on one have no effect on the others; use a server with one primary"
                            .formatted(galera ? "Galera" : "group replication with several primaries"),
                    null);
        }
    }

    private static boolean isOn(Map<String, String> variables, String name) {
        String value = variables.getOrDefault(name, "OFF");
        return value.equalsIgnoreCase("ON") || value.equals("1");
    }

    boolean mariadb() {
        return version.mariadb();
    }

    String isolation() {
        return mariadb() && !version.isAtLeast(MARIADB_NEW_NAMES) ? "tx_isolation" : "transaction_isolation";
    }

    /**
     * Returns the clause for a shared lock: MariaDB does not support {@code FOR SHARE}, and MySQL supports {@code SKIP
     * LOCKED} only with it.
     */
    String shared() {
        return mariadb() ? "LOCK IN SHARE MODE" : "FOR SHARE";
    }

    @Override
    public String toString() {
        return version.toString();
    }
}
