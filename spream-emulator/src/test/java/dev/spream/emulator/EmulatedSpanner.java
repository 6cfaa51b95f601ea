package dev.spream.emulator;

import com.google.cloud.NoCredentials;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.InstanceConfigId;
import com.google.cloud.spanner.InstanceId;
import com.google.cloud.spanner.InstanceInfo;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/**
 * A real client of an emulator, with an instance created through it. Uses the one of {@code SPANNER_TEST_EMULATOR_HOST}
 * where that is set, such as Google's, otherwise one of ours.
 */
final class EmulatedSpanner implements AutoCloseable {
    private static final String PROJECT = "test-project";

    private final SpannerEmulator ours;
    private final Spanner client;
    private final InstanceId instance;

    EmulatedSpanner() {
        this.ours = SpannerEmulator.start();
        this.client = SpannerOptions.newBuilder()
                .setProjectId(PROJECT)
                .setEmulatorHost(System.getenv().getOrDefault("SPANNER_TEST_EMULATOR_HOST", ours.emulatorHost()))
                .setCredentials(NoCredentials.getInstance())
                .setBuiltInMetricsEnabled(false)
                .build()
                .getService();
        this.instance =
                InstanceId.of(PROJECT, "i" + UUID.randomUUID().toString().substring(0, 8));
        try {
            client.getInstanceAdminClient()
                    .createInstance(InstanceInfo.newBuilder(instance)
                            .setInstanceConfigId(InstanceConfigId.of(PROJECT, "emulator-config"))
                            .setDisplayName("test")
                            .setNodeCount(1)
                            .build())
                    .get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether the server is this project's. */
    static boolean isOurs() {
        return System.getenv("SPANNER_TEST_EMULATOR_HOST") == null;
    }

    Spanner client() {
        return client;
    }

    InstanceId instance() {
        return instance;
    }

    /** A new database with these tables. */
    DatabaseId createDatabase(Dialect dialect, String... ddl) throws Exception {
        DatabaseId id =
                DatabaseId.of(instance, "d" + UUID.randomUUID().toString().substring(0, 8));
        var admin = client.getDatabaseAdminClient();
        admin.createDatabase(admin.newDatabaseBuilder(id).setDialect(dialect).build(), List.of())
                .get();
        if (ddl.length > 0) {
            admin.updateDatabaseDdl(instance.getInstance(), id.getDatabase(), List.of(ddl), null)
                    .get();
        }
        return id;
    }

    DatabaseClient connect(DatabaseId database) {
        return client.getDatabaseClient(database);
    }

    @Override
    public void close() {
        client.close();
        ours.close();
    }
}
