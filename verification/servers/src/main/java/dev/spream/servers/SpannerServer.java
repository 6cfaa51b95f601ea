package dev.spream.servers;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.InstanceConfigId;
import com.google.cloud.spanner.InstanceId;
import com.google.cloud.spanner.InstanceInfo;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerExceptionFactory;
import com.google.cloud.spanner.SpannerOptions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/**
 * A Spanner server in which tests create databases.
 *
 * @param name its name in the names of tests
 * @param emulatorHost its host and port, as in {@code SPANNER_EMULATOR_HOST}
 */
public record SpannerServer(String name, String emulatorHost) {
    private static final String PROJECT = "spream-test";
    private static final String INSTANCE = "test-instance";

    /** Creates a client of this server. The caller closes it. */
    public Spanner client() {
        return SpannerOptions.newBuilder()
                .setProjectId(PROJECT)
                .setEmulatorHost(emulatorHost)
                .setNumChannels(1)
                .setBuiltInMetricsEnabled(false)
                .build()
                .getService();
    }

    /** Creates a database with a unique name, with these tables and change streams. */
    public DatabaseId createDatabase(Dialect dialect, List<String> ddl) {
        try (Spanner spanner = client()) {
            createInstance(spanner);
            return createDatabase(spanner, dialect, ddl);
        }
    }

    private static DatabaseId createDatabase(Spanner spanner, Dialect dialect, List<String> ddl) {
        var id = DatabaseId.of(
                PROJECT, INSTANCE, "db-" + UUID.randomUUID().toString().substring(0, 18));
        var admin = spanner.getDatabaseAdminClient();
        var database = admin.newDatabaseBuilder(id).setDialect(dialect).build();
        try {
            if (dialect == Dialect.POSTGRESQL) {
                // CREATE DATABASE of this dialect takes no further statements.
                admin.createDatabase(database, List.of()).get();
                if (!ddl.isEmpty()) {
                    admin.updateDatabaseDdl(database, ddl, null).get();
                }
            } else {
                admin.createDatabase(database, ddl).get();
            }
        } catch (ExecutionException e) {
            throw SpannerExceptionFactory.asSpannerException(e.getCause());
        } catch (InterruptedException e) {
            throw SpannerExceptionFactory.propagateInterrupt(e);
        }
        return id;
    }

    private static void createInstance(Spanner spanner) {
        var instance = InstanceInfo.newBuilder(InstanceId.of(PROJECT, INSTANCE))
                .setInstanceConfigId(InstanceConfigId.of(PROJECT, "emulator-config"))
                .setDisplayName("spream tests")
                .setNodeCount(1)
                .build();
        try {
            spanner.getInstanceAdminClient().createInstance(instance).get();
        } catch (ExecutionException e) {
            SpannerException failure = SpannerExceptionFactory.asSpannerException(e.getCause());
            if (failure.getErrorCode() != ErrorCode.ALREADY_EXISTS) {
                throw failure;
            }
        } catch (InterruptedException e) {
            throw SpannerExceptionFactory.propagateInterrupt(e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
