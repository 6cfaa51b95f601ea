package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.storage.jdbc.internal.MySqlAnswers;
import dev.spream.storage.jdbc.internal.MySqlScript;
import dev.spream.storage.jdbc.internal.MySqlVersion;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.dialect.SqlWords;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates and checks the tables of an outbox in a database of MySQL or MariaDB. */
record MySqlTables(DataSource dataSource, OutboxTables tables) {
    private static final Logger log = LoggerFactory.getLogger(MySqlTables.class);

    private static final long VERSION = 1;
    private static final String SCRIPT = "/dev/spream/storage/jdbc/outbox/mysql/V1__outbox.sql";

    /** The first version with collations in which trailing spaces count. */
    private static final int[] MYSQL_MINIMUM = {8, 0, 17};

    private static final int[] MARIADB_MINIMUM = {10, 6, 0};

    /** Creates the tables where needed if configured, and otherwise checks them. */
    void ensure(boolean migrate) {
        String what = "migrating the tables of " + owner();
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                MySqlVersion server = supportedServer(connection);
                if (migrate && storedVersion(connection) < VERSION) {
                    migrate(connection, server);
                }
                check(storedVersion(connection));
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    private MySqlVersion supportedServer(Connection connection) throws SQLException {
        MySqlVersion server = MySqlVersion.of(MySqlAnswers.text(connection, "SELECT VERSION()"));
        if (!server.isAtLeast(MYSQL_MINIMUM, MARIADB_MINIMUM)) {
            throw SqlErrors.permanent(
                    "an outbox needs PostgreSQL 14, MySQL 8.0.17 or MariaDB 10.6, or a newer one of these; the server is '%s'"
                            .formatted(server.text()));
        }
        return server;
    }

    /** Processes that start at the same time wait for each other, and the later ones find nothing to do. */
    private void migrate(Connection connection, MySqlVersion server) throws SQLException {
        String collation = server.mariadb() ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin";
        MySqlScript script =
                new MySqlScript(SCRIPT, sql -> SqlWords.MYSQL.in(tables, sql.replace("${collation}", collation)));
        boolean done = MySqlScript.alone(connection, "spream outbox " + tables, () -> {
            if (storedVersion(connection) < VERSION) {
                script.run(connection, tables.schema());
                log.info("[{}] created the tables of {}, version {}", tables.schema(), owner(), VERSION);
            }
        });
        if (!done) {
            throw SqlErrors.permanent(
                    "another process has been creating the tables of %s for a minute; check that process, or try again"
                            .formatted(owner()));
        }
    }

    private void check(long stored) {
        if (stored == 0) {
            throw SqlErrors.permanent(
                    "database '%s' has no tables of %s; create them with %s, as a user with the required privileges, or name the database that has them as the schema"
                            .formatted(tables.schema(), owner(), OutboxTables.HOW_TO_MIGRATE));
        }
        if (stored > VERSION) {
            throw SqlErrors.permanent(
                    "the tables of %s in database '%s' have version %d, but this version of spream supports versions up to %d; use the version of spream that migrated them, or a newer one"
                            .formatted(owner(), tables.schema(), stored, VERSION));
        }
    }

    private String owner() {
        return "the outbox '%s'".formatted(tables.outbox());
    }

    /** Returns the version of the tables; 0 if they do not exist or are incomplete. */
    private long storedVersion(Connection connection) throws SQLException {
        return MySqlScript.tableExists(connection, tables.schema(), tables.outbox() + "_history")
                ? MySqlAnswers.number(
                        connection, SqlWords.MYSQL.in(tables, "SELECT COALESCE(MAX(version), 0) FROM @history"))
                : 0;
    }
}
