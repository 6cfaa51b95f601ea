package dev.spream.storage.jdbc.internal;

import dev.spream.core.StorageException;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** The migration of tables by Flyway. Loaded only where Flyway is on the class path. */
final class FlywayMigration {
    private FlywayMigration() {}

    static void migrate(SchemaMigration migration, String what) {
        try {
            flyway(migration).migrate();
        } catch (FlywayException e) {
            throw failure(what, e);
        }
    }

    /**
     * Configures Flyway. The schema may have tables of others, so the tables that exist without a history of ours are
     * the baseline. Executed scripts must be unchanged, unless one was corrected: then a later script brings its tables
     * into the same shape.
     */
    private static Flyway flyway(SchemaMigration migration) {
        MigratedTables tables = migration.tables();
        return Flyway.configure(FlywayMigration.class.getClassLoader())
                .dataSource(migration.dataSource())
                .defaultSchema(migration.schema().value())
                .schemas(migration.schema().value())
                .createSchemas(false)
                .table(tables.historyTable())
                .locations("classpath:" + tables.location())
                .placeholders(tables.placeholders())
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .validateOnMigrate(!tables.corrected())
                .load();
    }

    private static StorageException failure(String what, FlywayException failure) {
        for (Throwable cause = failure.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                return SqlErrors.storageException(what, sql);
            }
        }
        return new StorageException(what + " failed: " + failure.getMessage(), false, failure);
    }
}
