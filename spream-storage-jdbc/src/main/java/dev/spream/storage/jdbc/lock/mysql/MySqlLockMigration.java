package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.internal.MySqlAnswers;
import dev.spream.storage.jdbc.internal.MySqlScript;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the tables of the locks in a database of MySQL or MariaDB, by a script that can be repeated, because these
 * servers commit each DDL statement.
 */
record MySqlLockMigration(DataSource dataSource, LockTables tables) {
    private static final Logger log = LoggerFactory.getLogger(MySqlLockMigration.class);

    private static final int VERSION = 1;
    private static final String SCRIPT = "/dev/spream/storage/jdbc/lock/mysql/V1__hierarchical_locks.sql";
    /** Creates the tables where needed if configured, and otherwise checks them. */
    void ensure(boolean migrate) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                if (migrate && storedVersion(connection) < VERSION) {
                    migrate(connection);
                }
                check(storedVersion(connection));
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw LockTables.failure("migrating the tables of hierarchical locks in " + tables.place(), e);
        }
    }

    /**
     * Creates the tables. Processes that start at the same time wait for each other, and the later ones find nothing to
     * do.
     */
    private void migrate(Connection connection) throws SQLException {
        boolean done = MySqlScript.alone(connection, "spream locks " + tables.schema(), () -> {
            if (storedVersion(connection) < VERSION) {
                new MySqlScript(SCRIPT, tables::in).run(connection, tables.schema());
                log.info("[{}] created the tables of hierarchical locks, version {}", tables.schema(), VERSION);
            }
        });
        if (!done) {
            throw new LockStoreException(
                    "another process has been creating the tables of hierarchical locks in %s for a minute; check that process, or try again"
                            .formatted(tables.place()),
                    null);
        }
    }

    private void check(long stored) {
        if (stored == 0) {
            throw new LockStoreException(
                    "%s has no tables of hierarchical locks; create them with ./spream locks provision, as a user with the privileges, or name the database that has them"
                            .formatted(tables.place()),
                    null);
        }
        if (stored > VERSION) {
            throw new LockStoreException(
                    "the tables of hierarchical locks in %s have version %d, but this version of spream supports versions up to %d; use the version of spream that migrated them, or a newer one"
                            .formatted(tables.place(), stored, VERSION),
                    null);
        }
    }

    /** Returns the version of the tables; 0 if they do not exist or are incomplete. */
    long storedVersion(Connection connection) throws SQLException {
        if (!MySqlScript.tableExists(connection, tables.schema(), "hier_lock_history")) {
            return 0;
        }
        return MySqlAnswers.number(connection, tables.in("SELECT COALESCE(MAX(version), 0) FROM @hier_lock_history"));
    }
}
