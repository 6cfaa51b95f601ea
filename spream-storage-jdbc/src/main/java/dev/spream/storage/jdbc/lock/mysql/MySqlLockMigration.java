package dev.spream.storage.jdbc.lock.mysql;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
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
    /** A lock that one process at a time holds for all that it creates; names of locks have 64 characters at most. */
    private static final String LOCK = "SELECT GET_LOCK(LEFT(SHA2(CONCAT('spream locks ', ?), 256), 60), 60)";

    private static final String UNLOCK = "SELECT RELEASE_LOCK(LEFT(SHA2(CONCAT('spream locks ', ?), 256), 60))";
    private static final String DATABASE_EXISTS =
            "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?";
    private static final String HISTORY_EXISTS = "SELECT COUNT(*) FROM information_schema.tables"
            + " WHERE table_schema = ? AND table_name = 'hier_lock_history'";

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
        if (MySqlAnswers.number(connection, LOCK, tables.schema()) != 1) {
            throw new LockStoreException(
                    "another process has been creating the tables of hierarchical locks in %s for a minute; check that process, or try again"
                            .formatted(tables.place()),
                    null);
        }
        try {
            if (storedVersion(connection) < VERSION) {
                runScript(connection);
                log.info("[{}] created the tables of hierarchical locks, version {}", tables.schema(), VERSION);
            }
        } finally {
            MySqlAnswers.number(connection, UNLOCK, tables.schema());
        }
    }

    private void runScript(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (MySqlAnswers.number(connection, DATABASE_EXISTS, tables.schema()) == 0) {
                statement.execute("CREATE DATABASE IF NOT EXISTS `%s`".formatted(tables.schema()));
            }
            for (String sql : statements()) {
                statement.execute(tables.in(sql));
            }
        }
    }

    private static List<String> statements() {
        try (InputStream script =
                Objects.requireNonNull(MySqlLockMigration.class.getResourceAsStream(SCRIPT), SCRIPT)) {
            String sql = new String(script.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("--"))
                    .collect(Collectors.joining("\n"));
            return List.of(sql.strip().split(";\\s*"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
        if (MySqlAnswers.number(connection, HISTORY_EXISTS, tables.schema()) == 0) {
            return 0;
        }
        return MySqlAnswers.number(connection, tables.in("SELECT COALESCE(MAX(version), 0) FROM @hier_lock_history"));
    }
}
