package dev.spream.emulator;

import com.google.cloud.NoCredentials;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.InstanceConfigId;
import com.google.cloud.spanner.InstanceId;
import com.google.cloud.spanner.InstanceInfo;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.PartitionControl;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;

/**
 * A real client of an emulator, with an instance created through it.
 */
final class EmulatedSpanner implements AutoCloseable {
    static final String ACCOUNTS = "CREATE TABLE Accounts (Id INT64 NOT NULL, Owner STRING(MAX), Balance INT64,"
            + " Changed TIMESTAMP OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id)";

    private static final String PROJECT = "test-project";

    private final SpannerEmulator ours;
    private final Spanner client;
    private final InstanceId instance;

    /** A client of the server of {@code SPANNER_TEST_EMULATOR_HOST}, or of ours. */
    static EmulatedSpanner found() {
        SpannerEmulator emulator = SpannerEmulator.start();
        return new EmulatedSpanner(
                emulator, System.getenv().getOrDefault("SPANNER_TEST_EMULATOR_HOST", emulator.emulatorHost()));
    }

    /** A client of ours. */
    static EmulatedSpanner ours() {
        return of(SpannerEmulator.start());
    }

    /** A client of this emulator, which it closes. */
    static EmulatedSpanner of(SpannerEmulator emulator) {
        return new EmulatedSpanner(emulator, emulator.emulatorHost());
    }

    private EmulatedSpanner(SpannerEmulator emulator, String emulatorHost) {
        this.ours = emulator;
        this.client = SpannerOptions.newBuilder()
                .setProjectId(PROJECT)
                .setEmulatorHost(emulatorHost)
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

    /** The host and port of the emulator. */
    String host() {
        return ours.emulatorHost();
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

    /** Changes the schema of a database. */
    void alter(DatabaseId id, String... ddl) throws Exception {
        client.getDatabaseAdminClient()
                .updateDatabaseDdl(instance.getInstance(), id.getDatabase(), List.of(ddl), null)
                .get();
    }

    /** The statements that create a database. */
    List<String> ddl(DatabaseId id) {
        return client.getDatabaseAdminClient().getDatabaseDdl(instance.getInstance(), id.getDatabase());
    }

    /** Our partitions. */
    PartitionControl partitions(DatabaseId database, String stream) {
        return ours.partitions(database.getName(), stream);
    }

    /** Our commits of a database from now on. */
    CommitLog recordCommits(DatabaseId database) {
        return ours.recordCommits(database.getName());
    }

    DatabaseClient connect(DatabaseId database) {
        return client.getDatabaseClient(database);
    }

    static Mutation account(long id, String owner, long balance) {
        return Mutation.newInsertBuilder("Accounts")
                .set("Id")
                .to(id)
                .set("Owner")
                .to(owner)
                .set("Balance")
                .to(balance)
                .set("Changed")
                .to(Value.COMMIT_TIMESTAMP)
                .build();
    }

    static List<Struct> rows(ResultSet results) {
        List<Struct> rows = new ArrayList<>();
        try (results) {
            while (results.next()) {
                rows.add(results.getCurrentRowAsStruct());
            }
        }
        return rows;
    }

    static List<Struct> query(DatabaseClient database, String sql) {
        return rows(database.singleUse().executeQuery(Statement.of(sql)));
    }

    /** The rows of a query, each as its values with commas in between. */
    static List<String> texts(DatabaseClient database, String sql) {
        return query(database, sql).stream()
                .map(row -> {
                    List<String> values = new ArrayList<>();
                    for (int i = 0; i < row.getColumnCount(); i++) {
                        values.add(row.isNull(i) ? "null" : row.getValue(i).toString());
                    }
                    return String.join(",", values);
                })
                .toList();
    }

    @Override
    public void close() {
        client.close();
        ours.close();
    }
}
