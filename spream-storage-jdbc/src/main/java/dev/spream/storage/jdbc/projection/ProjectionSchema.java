package dev.spream.storage.jdbc.projection;

import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import dev.spream.storage.jdbc.internal.SchemaName;
import javax.sql.DataSource;

/** The tables of projections. */
final class ProjectionSchema {
    private static final MigratedTables TABLES = new MigratedTables(
            "the projections",
            "dev/spream/storage/jdbc/projection",
            "projection_history",
            2,
            "migrate(true), in a configuration projections.jdbc.migrate=true, as whoever runs projections does unless told"
                    + " otherwise");

    private ProjectionSchema() {}

    static SchemaMigration in(DataSource dataSource, SchemaName schema) {
        return new SchemaMigration(dataSource, schema, TABLES);
    }
}
