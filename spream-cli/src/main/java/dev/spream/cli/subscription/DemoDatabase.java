package dev.spream.cli.subscription;

import com.google.api.gax.longrunning.OperationFuture;
import com.google.api.gax.rpc.UnaryCallSettings;
import com.google.cloud.NoCredentials;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseAdminClient;
import com.google.cloud.spanner.DatabaseClient;
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
import com.google.cloud.spanner.Statement;
import dev.spream.cli.command.CommandFailure;
import dev.spream.core.partition.PartitionMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A database for the demo on an emulator, with a table of accounts and a change stream. */
final class DemoDatabase implements AutoCloseable {
    static final String TABLE = "Accounts";
    static final String STREAM = "AccountsStream";

    private static final InstanceId INSTANCE = InstanceId.of("spream-demo", "spream-demo");
    /** A server in the same process responds late only on a very busy machine. */
    private static final long TIMEOUT_SECONDS = 120;

    private final Spanner spanner;
    private final DatabaseId id;
    private final DatabaseClient client;

    private DemoDatabase(Spanner spanner, DatabaseId id, DatabaseClient client) {
        this.spanner = spanner;
        this.id = id;
        this.client = client;
    }

    /** Creates the database, with accounts that exist before the stream. */
    static DemoDatabase create(String emulatorHost, Dialect dialect, PartitionMode mode, TransferWorkload workload)
            throws InterruptedException {
        Spanner spanner = options(emulatorHost).getService();
        try {
            createInstance(spanner);
            DatabaseId id = DatabaseId.of(INSTANCE, "demo-" + Long.toString(System.currentTimeMillis(), 36));
            DatabaseAdminClient admin = spanner.getDatabaseAdminClient();
            await(admin.createDatabase(
                    admin.newDatabaseBuilder(id).setDialect(dialect).build(), List.of()));
            ddl(admin, id, table(dialect));
            DatabaseClient client = spanner.getDatabaseClient(id);
            workload.openAccounts(client);
            ddl(admin, id, stream(dialect, mode));
            return new DemoDatabase(spanner, id, client);
        } catch (SpannerException e) {
            spanner.close();
            throw failure(emulatorHost, e);
        }
    }

    /** Returns options with long timeouts, since a very busy machine is slow but not faulty. */
    static SpannerOptions options(String emulatorHost) {
        SpannerOptions.Builder options = SpannerOptions.newBuilder()
                .setProjectId(INSTANCE.getProject())
                .setEmulatorHost(emulatorHost)
                .setCredentials(NoCredentials.getInstance())
                .setBuiltInMetricsEnabled(false);
        try {
            options.getSpannerStubSettingsBuilder().applyToAllUnaryMethods(DemoDatabase::patient);
            options.getInstanceAdminStubSettingsBuilder().applyToAllUnaryMethods(DemoDatabase::patient);
            options.getDatabaseAdminStubSettingsBuilder().applyToAllUnaryMethods(DemoDatabase::patient);
        } catch (Exception e) {
            throw new IllegalStateException("the client's calls cannot be given more time", e);
        }
        return options.build();
    }

    private static @Nullable Void patient(UnaryCallSettings.Builder<?, ?> call) {
        Duration timeout = Duration.ofSeconds(TIMEOUT_SECONDS);
        call.setRetrySettings(call.getRetrySettings().toBuilder()
                .setInitialRpcTimeoutDuration(timeout)
                .setMaxRpcTimeoutDuration(timeout)
                .setTotalTimeoutDuration(timeout)
                .build());
        return null;
    }

    static CommandFailure failure(String emulatorHost, SpannerException cause) {
        return new CommandFailure(
                cause.getErrorCode() == ErrorCode.DEADLINE_EXCEEDED
                        ? "the demo's server at %s did not answer in time, so its database is not complete; this machine is probably busy: try again when it is not"
                                .formatted(emulatorHost)
                        : "cannot create the demo's database on %s: %s".formatted(emulatorHost, cause.getMessage()),
                cause);
    }

    /** Returns the name, {@code projects/p/instances/i/databases/d}. */
    String name() {
        return id.getName();
    }

    DatabaseClient client() {
        return client;
    }

    /** Returns the server's time, which applies to start and end of change streams. */
    Instant serverTime() {
        try (var rows = client.singleUse().executeQuery(Statement.of("SELECT CURRENT_TIMESTAMP"))) {
            rows.next();
            return instant(rows.getTimestamp(0));
        }
    }

    static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    @Override
    public void close() {
        try (spanner) {
            spanner.getDatabaseAdminClient().dropDatabase(id.getInstanceId().getInstance(), id.getDatabase());
        } catch (SpannerException e) {
            System.err.printf("demo: database %s could not be dropped: %s%n", id.getName(), e.getMessage());
        }
    }

    private static void createInstance(Spanner spanner) throws InterruptedException {
        InstanceInfo instance = InstanceInfo.newBuilder(INSTANCE)
                .setInstanceConfigId(InstanceConfigId.of(INSTANCE.getProject(), "emulator-config"))
                .setDisplayName("spream demo")
                .setNodeCount(1)
                .build();
        try {
            await(spanner.getInstanceAdminClient().createInstance(instance));
        } catch (SpannerException e) {
            if (e.getErrorCode() != ErrorCode.ALREADY_EXISTS) {
                throw e;
            }
        }
    }

    private static void ddl(DatabaseAdminClient admin, DatabaseId id, String statement) throws InterruptedException {
        await(admin.updateDatabaseDdl(INSTANCE.getInstance(), id.getDatabase(), List.of(statement), null));
    }

    private static String table(Dialect dialect) {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL -> """
                CREATE TABLE Accounts (
                  AccountId STRING(36) NOT NULL,
                  LastUpdate TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true),
                  Balance INT64 NOT NULL,
                ) PRIMARY KEY (AccountId)""";
            case POSTGRESQL -> """
                CREATE TABLE "Accounts" (
                  "AccountId" varchar(36) NOT NULL PRIMARY KEY,
                  "LastUpdate" spanner.commit_timestamp NOT NULL,
                  "Balance" bigint NOT NULL
                )""";
        };
    }

    private static String stream(Dialect dialect, PartitionMode mode) {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL ->
                "CREATE CHANGE STREAM AccountsStream FOR Accounts OPTIONS (%s)".formatted(streamOptions(mode));
            case POSTGRESQL ->
                "CREATE CHANGE STREAM \"AccountsStream\" FOR \"Accounts\" WITH (%s)".formatted(streamOptions(mode));
        };
    }

    private static String streamOptions(PartitionMode mode) {
        return "retention_period = '7d'"
                + (mode == PartitionMode.MUTABLE_KEY_RANGE ? ", partition_mode = 'MUTABLE_KEY_RANGE'" : "");
    }

    private static void await(OperationFuture<?, ?> operation) throws InterruptedException {
        try {
            operation.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw SpannerExceptionFactory.asSpannerException(e.getCause());
        } catch (TimeoutException e) {
            throw SpannerExceptionFactory.newSpannerException(
                    ErrorCode.DEADLINE_EXCEEDED, "no answer in %d s".formatted(TIMEOUT_SECONDS), e);
        }
    }
}
