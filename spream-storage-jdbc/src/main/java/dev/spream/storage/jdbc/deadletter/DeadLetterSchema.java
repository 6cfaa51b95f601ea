package dev.spream.storage.jdbc.deadletter;

import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import dev.spream.storage.jdbc.internal.SchemaName;
import javax.sql.DataSource;

/** The tables of the dead letters. */
final class DeadLetterSchema {
    private static final MigratedTables TABLES = new MigratedTables(
            "the dead letters",
            "dev/spream/storage/jdbc/deadletter",
            "dead_letter_history",
            1,
            "migrate(true), in a configuration dead-letters.jdbc.migrate=true");

    private DeadLetterSchema() {}

    static SchemaMigration in(DataSource dataSource, SchemaName schema) {
        return new SchemaMigration(dataSource, schema, TABLES);
    }
}
