package dev.spream.storage.jdbc;

import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import dev.spream.storage.jdbc.internal.SchemaName;
import javax.sql.DataSource;

/** The tables of the partition storage. */
final class PartitionSchema {
    static final int VERSION = 1;

    private static final MigratedTables TABLES = new MigratedTables(
            "the partition storage",
            "dev/spream/storage/jdbc/partitions",
            "partition_storage_history",
            VERSION,
            "migrate(true), in a configuration storage.jdbc.migrate=true");

    private PartitionSchema() {}

    static SchemaMigration in(DataSource dataSource, SchemaName schema) {
        return new SchemaMigration(dataSource, schema, TABLES);
    }
}
