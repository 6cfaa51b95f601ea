package dev.spream.storage.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;

/**
 * The creation of tables without Flyway: all scripts in one transaction, and a history table in which they are Flyway's
 * baseline, so that a later version of spream can migrate the tables with Flyway.
 *
 * @see <a href="https://documentation.red-gate.com/flyway/flyway-concepts/migrations/flyway-schema-history-table">Flyway:
 *     schema history table</a>
 */
@SuppressWarnings("InlineFormatString") // the statement is easier to read as a template
final class ScriptRun {
    private static final String CREATE_HISTORY = """
            CREATE TABLE @%1$s (
                installed_rank integer NOT NULL CONSTRAINT %1$s_pk PRIMARY KEY,
                version varchar(50),
                description varchar(200) NOT NULL,
                type varchar(20) NOT NULL,
                script varchar(1000) NOT NULL,
                checksum integer,
                installed_by varchar(100) NOT NULL,
                installed_on timestamp NOT NULL DEFAULT now(),
                execution_time integer NOT NULL,
                success boolean NOT NULL
            );
            CREATE INDEX %1$s_s_idx ON @%1$s (success);
            INSERT INTO @%1$s (installed_rank, version, description, type, script, installed_by, execution_time, success)
            VALUES (1, '%2$d', '<< Flyway Baseline >>', 'BASELINE', '<< Flyway Baseline >>', current_user, 0, true)""";

    private final SchemaMigration migration;

    ScriptRun(SchemaMigration migration) {
        this.migration = migration;
    }

    /** @param stored the version of the tables; 0 if there are none */
    void create(int stored) throws SQLException {
        MigratedTables tables = migration.tables();
        if (stored > 0 || tables.scripts().size() < tables.version()) {
            throw SqlErrors.permanent(
                    "the tables of %s in schema '%s' %s, and Flyway, which migrates them to version %d, is not on the class path; add org.flywaydb:flyway-core and org.flywaydb:flyway-database-postgresql, or start a program that has them once with %s"
                            .formatted(
                                    tables.owner(),
                                    migration.schema(),
                                    stored > 0 ? "have version " + stored : "do not exist",
                                    tables.version(),
                                    tables.howToMigrate()));
        }
        try (Connection connection = migration.dataSource().getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                Statements.execute(connection, "SET LOCAL search_path TO \"%s\"".formatted(migration.schema()));
                for (String script : tables.scripts()) {
                    Statements.execute(connection, text(tables, script));
                }
                String history = CREATE_HISTORY.formatted(tables.historyTable(), tables.version());
                Statements.execute(connection, migration.schema().in(history));
                connection.commit();
            } finally {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private static String text(MigratedTables tables, String script) {
        String path = "/%s/%s.sql".formatted(tables.location(), script);
        try (InputStream stream = Objects.requireNonNull(ScriptRun.class.getResourceAsStream(path), path)) {
            String text = new String(stream.readAllBytes(), UTF_8);
            for (Map.Entry<String, String> placeholder : tables.placeholders().entrySet()) {
                text = text.replace("${%s}".formatted(placeholder.getKey()), placeholder.getValue());
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
