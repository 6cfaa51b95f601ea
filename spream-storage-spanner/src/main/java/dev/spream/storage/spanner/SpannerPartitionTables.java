package dev.spream.storage.spanner;

import java.util.List;

/** Makes the tables of a subscription in Spanner. */
public final class SpannerPartitionTables {
    private SpannerPartitionTables() {}

    /** Creates what is missing. */
    public static void create(SpannerConnection connection, String table) {
        MetadataTables.requireValid(table);
        MetadataCalls calls =
                new MetadataCalls(connection.database() + " table " + table, SpannerPartitionStorage.TIMEOUT);
        MetadataSchema schema = MetadataSchema.read(connection, table, calls);
        if (schema.missing().isEmpty()) {
            return;
        }
        List<String> ddl = new MetadataDdl(schema.tables()).all();
        calls.run("creating the tables", () -> {
            return connection
                    .spanner()
                    .getDatabaseAdminClient()
                    .updateDatabaseDdl(
                            connection.database().instance(),
                            connection.database().database(),
                            ddl,
                            null)
                    .get();
        });
    }
}
