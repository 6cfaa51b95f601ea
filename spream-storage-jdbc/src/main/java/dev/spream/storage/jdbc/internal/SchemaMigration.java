package dev.spream.storage.jdbc.internal;

import dev.spream.core.StorageException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tables that belong together: whether they are there and new enough, and their migration by Flyway, which keeps a history
 * table for them alone. Processes that start at once wait for each other; the later ones find nothing to do.
 */
public record SchemaMigration(DataSource dataSource, SchemaName schema, MigratedTables tables) {
    private static final Logger log = LoggerFactory.getLogger(SchemaMigration.class);

    /** Taken by one process at a time for all that it creates, which Flyway does only in part; ends with its transaction. */
    private static final String LOCK =
            "SELECT true FROM pg_advisory_xact_lock(hashtextextended('spream schema ' || ?, 0))";

    private static final String SCHEMA_EXISTS = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?)";

    private static final String HISTORY_EXISTS =
            "SELECT EXISTS (SELECT FROM pg_tables WHERE schemaname = ? AND tablename = ?)";

    private static final String SAME_NAMES =
            "SELECT schemaname, tablename FROM pg_tables WHERE tablename = ANY (?) ORDER BY 1, 2";

    /** {@linkplain #migrate Migrates} the tables, or {@linkplain #check requires} them as they have to be. */
    public void ensure(boolean migrate) {
        if (migrate) {
            migrate();
        } else {
            check();
        }
    }

    /** Creates or migrates the tables where they are not as this version of spream needs them. */
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
                migrateAlone();
            } finally {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        } catch (FlywayException e) {
            throw failedMigration(what, e);
        }
        check();
    }

    private void migrateAlone() throws SQLException {
        if (storedVersion() >= tables.version()) {
            return;
        }
        createSchema();
        flyway().migrate();
        log.info("[{}] created or migrated the tables of {} to version {}", schema, tables.owner(), tables.version());
    }

    /**
     * Requires the tables as this version of spream needs them.
     *
     * @throws StorageException that says what is there and what to do, if they are not
     */
    public void check() {
        int stored = storedVersion();
        if (stored == 0) {
            throw SqlErrors.permanent(
                    "schema '%s' has no tables of %s; create them with %s, as a user with the right to, or name the schema that has them%s"
                            .formatted(schema, tables.owner(), tables.howToMigrate(), sameNames()));
        }
        if (stored < tables.version()) {
            throw SqlErrors.permanent(
                    "the tables of %s in schema '%s' are of version %d, this spream needs version %d; start once with %s, as a user with the right to alter them"
                            .formatted(tables.owner(), schema, stored, tables.version(), tables.howToMigrate()));
        }
        if (stored > tables.version()) {
            throw SqlErrors.permanent(
                    "the tables of %s in schema '%s' are of version %d, this spream knows versions up to %d; use the version of spream that migrated them, or a newer one"
                            .formatted(tables.owner(), schema, stored, tables.version()));
        }
    }

    /** Where tables are that are called like these: of another schema, or not migrated yet. */
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

    /** 0 if there are no tables. */
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
                    "the tables of %s need PostgreSQL, the database is %s; spream keeps nothing but locks there"
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

    /**
     * The schema may hold tables of others, so what is there without a history of ours is where we start from. Scripts that have
     * run must be what they are now, unless one was corrected: a later script brings its tables into the same shape then.
     */
    private Flyway flyway() {
        return Flyway.configure(SchemaMigration.class.getClassLoader())
                .dataSource(dataSource)
                .defaultSchema(schema.value())
                .schemas(schema.value())
                .createSchemas(false)
                .table(tables.historyTable())
                .locations("classpath:" + tables.location())
                .placeholders(tables.placeholders())
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .validateOnMigrate(!tables.corrected())
                .load();
    }

    private static StorageException failedMigration(String what, FlywayException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return SqlErrors.storageException(what, sql);
            }
        }
        return new StorageException(what + " failed: " + failure.getMessage(), false, failure);
    }
}
