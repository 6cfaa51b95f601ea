package dev.spream.storage.jdbc.internal;

import dev.spream.core.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates, migrates and checks tables that belong together. The migration is done by Flyway, with a history table for
 * these tables alone; without Flyway on the class path, tables are created but not migrated. Processes that start at the
 * same time wait for each other, and the later ones find nothing to do.
 */
public record SchemaMigration(DataSource dataSource, SchemaName schema, MigratedTables tables) {
    private static final Logger log = LoggerFactory.getLogger(SchemaMigration.class);

    /**
     * An advisory lock that one process at a time holds for all that it creates, since Flyway locks only part of it;
     * released with its transaction.
     */
    private static final String LOCK =
            "SELECT true FROM pg_advisory_xact_lock(hashtextextended('spream schema ' || ?, 0))";

    private static final String SCHEMA_EXISTS = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?)";

    private static final boolean FLYWAY = isPresent("org.flywaydb.core.Flyway");

    private static final String HISTORY_EXISTS =
            "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = ? AND tablename = ?)";

    private static final String SAME_NAMES =
            "SELECT schemaname, tablename FROM pg_tables WHERE tablename = ANY (?) ORDER BY 1, 2";

    /** {@linkplain #migrate Migrates} the tables, or {@linkplain #check checks} them. */
    public void ensure(boolean migrate) {
        if (migrate) {
            migrate();
        } else {
            check();
        }
    }

    /** Creates or migrates the tables where this version of spream needs it. */
    public void migrate() {
        if (storedVersion() >= tables.version()) {
            check();
            return;
        }
        String what = "migrating the tables of schema '%s'".formatted(schema);
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                ask(connection, LOCK, schema.value());
                migrateAlone(what);
            } finally {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
        check();
    }

    private void migrateAlone(String what) throws SQLException {
        int stored = storedVersion();
        if (stored >= tables.version()) {
            return;
        }
        createSchema();
        if (FLYWAY) {
            FlywayMigration.migrate(this, what);
        } else {
            new ScriptRun(this).create(stored);
        }
        log.info("[{}] created or migrated the tables of {} to version {}", schema, tables.owner(), tables.version());
    }

    /**
     * Requires the tables to be of the version that this version of spream needs.
     *
     * @throws StorageException if they are not; the message has their state and the remedy
     */
    public void check() {
        int stored = storedVersion();
        if (stored == 0) {
            throw SqlErrors.permanent(
                    "schema '%s' has no tables of %s; create them with %s, as a user with the required privileges, or name the schema that has them%s"
                            .formatted(schema, tables.owner(), tables.howToMigrate(), sameNames()));
        }
        if (stored < tables.version()) {
            throw SqlErrors.permanent(
                    "the tables of %s in schema '%s' have version %d, but this version of spream needs version %d; start once with %s, as a user that may alter them"
                            .formatted(tables.owner(), schema, stored, tables.version(), tables.howToMigrate()));
        }
        if (stored > tables.version()) {
            throw SqlErrors.permanent(
                    "the tables of %s in schema '%s' have version %d, but this version of spream supports versions up to %d; use the version of spream that migrated them, or a newer one"
                            .formatted(tables.owner(), schema, stored, tables.version()));
        }
    }

    /** Returns the place of tables with these names in another schema, or of tables that are not migrated yet. */
    private String sameNames() {
        Map<String, String> names = new TreeMap<>();
        try (Connection connection = dataSource.getConnection()) {
            statements(connection)
                    .rows(
                            SAME_NAMES,
                            p -> p.texts(tables.placeholders().values()),
                            row -> names.merge(row.getString(1), row.getString(2), "%s and %s"::formatted));
        } catch (SQLException e) {
            throw SqlErrors.storageException("looking for the tables of " + tables.owner(), e);
        }
        return names.entrySet().stream()
                .map(found -> "; '%s' has %s".formatted(found.getKey(), found.getValue()))
                .collect(Collectors.joining());
    }

    /** Returns 0 if there are no tables. */
    private int storedVersion() {
        try (Connection connection = dataSource.getConnection()) {
            requirePostgres(connection);
            return ask(connection, HISTORY_EXISTS, schema.value(), tables.historyTable()) ? version(connection) : 0;
        } catch (SQLException e) {
            throw SqlErrors.storageException("reading the version of the tables in schema '%s'".formatted(schema), e);
        }
    }

    private void requirePostgres(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (!product.equals("PostgreSQL")) {
            throw SqlErrors.permanent(
                    "the tables of %s need PostgreSQL, but the database is %s; spream supports such databases for locks and the outbox only"
                            .formatted(tables.owner(), product));
        }
    }

    private int version(Connection connection) throws SQLException {
        return statements(connection)
                .row(
                        "SELECT max(version::int) FROM @%s WHERE success AND version IS NOT NULL"
                                .formatted(tables.historyTable()),
                        p -> {},
                        row -> row.getInt(1));
    }

    private Statements statements(Connection connection) {
        return new Statements(connection, schema::in);
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, SchemaMigration.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private void createSchema() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            if (ask(connection, SCHEMA_EXISTS, schema.value())) {
                return;
            }
            connection.setAutoCommit(true);
            Statements.execute(connection, "CREATE SCHEMA \"%s\"".formatted(schema));
        }
    }

    private boolean ask(Connection connection, String question, String... names) throws SQLException {
        return statements(connection)
                .row(
                        question,
                        p -> {
                            for (String name : names) {
                                p.text(name);
                            }
                        },
                        row -> row.getBoolean(1));
    }
}
