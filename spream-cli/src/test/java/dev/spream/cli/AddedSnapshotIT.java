package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WorkerId;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Services mirror a table; the stream then watches a second one that has rows already, and a snapshot of that is added,
 * while writers write to both. A service is killed with {@code kill -9} before the snapshot is settled. At the end the
 * tables are equal, row by row, and no change took effect after a later one of its key.
 */
class AddedSnapshotIT {
    private static final String DATABASE = "projects/spream/instances/test/databases/watched";
    private static final String STREAM = "watched";
    private static final int ROWS = 2_000;
    private static final int CHUNK_ROWS = 40;
    private static final int FIRST_ROWS = 200;
    private static final List<String> TABLES = List.of("Orders", "Payments");
    private static final long SEED = Long.getLong("snapshot.seed", System.nanoTime() % 1_000_000);
    private static final Duration CHURN = Duration.ofMillis(1_200);
    /** Of the writer: it writes while services start, too. */
    private static final Duration PAUSE = Duration.ofMillis(25);

    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    @TempDir
    private Path folder;

    private final String url = PostgresDatabase.create().jdbcUrl();

    static Stream<Arguments> dialectsAndModes() {
        Stream<Arguments> all = Stream.of(
                Arguments.of(DatabaseDialect.POSTGRESQL, "MUTABLE_KEY_RANGE"),
                Arguments.of(DatabaseDialect.GOOGLE_STANDARD_SQL, "IMMUTABLE_KEY_RANGE"));
        return SpannerServers.areAll() ? all : all.limit(1);
    }

    @ParameterizedTest
    @MethodSource("dialectsAndModes")
    void a_table_is_added_with_its_rows(DatabaseDialect dialect, String mode) throws Exception {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(SEED)
                        .churn(PartitionChurn.every(CHURN).weights(3, 2, 1))
                        .faults(FaultRates.share(0.2))
                        .start();
                HikariDataSource pool = DeliveryLedger.pool(url)) {
            emulator.createDatabase(DATABASE, dialect, ddl(postgres, mode));
            MirrorAudit audit = new MirrorAudit(pool);
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                    .emulatorHost(emulator.emulatorHost())
                    .open()) {
                DatabaseClient client = connection.client();
                fill(client);
                Path file = MirrorService.configure(
                        folder,
                        DATABASE,
                        STREAM,
                        emulator.emulatorHost(),
                        url,
                        "snapshot=true\nsource.spanner.snapshot-reads=1");
                try (PartitionStorage storage = JdbcPartitionStorage.create(pool, STREAM);
                        WorkerFleet fleet = new WorkerFleet(
                                Path.of("target", "added", mode.toLowerCase(Locale.ROOT)),
                                name -> MirrorService.command(file, name));
                        SteadyWriter writer = new SteadyWriter(
                                SEED, ROWS, PAUSE, (id, revision, random) -> write(client, id, revision))) {
                    fleet.start();
                    awaitAlive(fleet, () -> audit.effects() > FIRST_ROWS && isSnapshotOver(storage));
                    alter(connection, postgres);
                    long written = writer.written();
                    awaitAlive(fleet, () -> writer.written() > written + 50);
                    fleet.terminate();
                    addSnapshot(emulator.emulatorHost());
                    start(fleet);
                    killDuringSnapshot(fleet, storage);
                    awaitAlive(fleet, () -> isSnapshotOver(storage));
                    assertThat(settledChunks(storage)).isGreaterThanOrEqualTo(ROWS / 2 / CHUNK_ROWS);
                    long before = writer.written();
                    awaitAlive(fleet, () -> writer.written() > before + 50);
                    writer.close();
                    awaitAlive(
                            fleet,
                            () -> differences(client, pool).isEmpty(),
                            () -> differences(client, pool).toString());
                    fleet.terminate();
                    assertThat(disorder(pool)).as("seed %d", SEED).isZero();
                    assertThat(spream(0, "verify").out()).last().asString().startsWith("verify: proven");
                    assertThat(storage.corrections()).hasSize(2);
                }
            }
        }
    }

    private static String[] ddl(boolean postgres, String mode) {
        List<String> ddl = new ArrayList<>(TABLES.stream()
                .map(table -> postgres
                        ? "CREATE TABLE \"%s\" (\"Id\" bigint NOT NULL PRIMARY KEY, \"Revision\" bigint)"
                                .formatted(table)
                        : "CREATE TABLE %s (Id INT64 NOT NULL, Revision INT64) PRIMARY KEY (Id)".formatted(table))
                .toList());
        ddl.add("CREATE CHANGE STREAM watched FOR %s %s (partition_mode = '%s', value_capture_type = 'NEW_ROW')"
                .formatted(postgres ? "\"Orders\"" : "Orders", postgres ? "WITH" : "OPTIONS", mode));
        return ddl.toArray(String[]::new);
    }

    private static void alter(SpannerConnection connection, boolean postgres) throws Exception {
        DatabaseName database = DatabaseName.parse(DATABASE);
        connection
                .spanner()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(
                        database.instance(),
                        database.database(),
                        List.of(
                                postgres
                                        ? "ALTER CHANGE STREAM watched SET FOR \"Orders\", \"Payments\""
                                        : "ALTER CHANGE STREAM watched SET FOR Orders, Payments"),
                        null)
                .get();
    }

    private static void fill(DatabaseClient client) {
        for (String table : TABLES) {
            List<Mutation> rows = new ArrayList<>();
            for (long id = 0; id < (table.equals("Orders") ? FIRST_ROWS : ROWS); id++) {
                rows.add(row(table, id, 1));
            }
            client.write(rows);
        }
    }

    /** Updates or deletes a row of both tables, or inserts it anew. */
    private static void write(DatabaseClient client, long id, long revision) {
        client.write(TABLES.stream()
                .map(table -> id % 4 == revision % 4 ? Mutation.delete(table, Key.of(id)) : row(table, id, revision))
                .toList());
    }

    private static Mutation row(String table, long id, long revision) {
        return Mutation.newInsertOrUpdateBuilder(table)
                .set("Id")
                .to(id)
                .set("Revision")
                .to(revision)
                .build();
    }

    private static void start(WorkerFleet fleet) throws IOException {
        for (int i = 0; i < WorkerFleet.SIZE; i++) {
            fleet.start();
        }
    }

    private void addSnapshot(String emulatorHost) {
        String[] add = {
            "subscription",
            "add-snapshot",
            "--table",
            "Payments",
            "--chunk-rows",
            String.valueOf(CHUNK_ROWS),
            "-d",
            DATABASE,
            "--emulator-host",
            emulatorHost
        };
        assertThat(spream(0, with(add, "--dry-run")).err()).last().asString().endsWith("dry run, nothing was written");
        CommandRun added = spream(0, with(add, "--yes", "--reason", "payments are mirrored too"));
        assertThat(added.err().getFirst()).contains("the rows are kept until ", "for 1 h");
        assertThat(added.err()).last().asString().contains("snapshot of Payments as of ", "payments are mirrored too");
        assertThat(spream(1, with(add, "--yes", "--reason", "again")).err())
                .last()
                .asString()
                .contains("was added and is not settled; nothing was changed");
        add[3] = "payments";
        assertThat(spream(1, with(add, "--dry-run")).err())
                .last()
                .asString()
                .contains("does not watch table payments", "it watches Orders, Payments");
    }

    private static String[] with(String[] command, String... more) {
        List<String> all = new ArrayList<>(Arrays.asList(command));
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private CommandRun spream(int exitCode, String... command) {
        CommandRun run = CommandRun.of(with(command, "--jdbc-url", url, "--stream", STREAM));
        assertThat(run.exitCode()).as("%s", run).isEqualTo(exitCode);
        return run;
    }

    /** Kills a service while parts of the snapshot are settled and others are not. */
    private static void killDuringSnapshot(WorkerFleet fleet, PartitionStorage storage) throws Exception {
        awaitAlive(fleet, () -> settledChunks(storage) >= 5 && holder(storage).isPresent());
        fleet.kill(holder(storage).orElseThrow());
        assertThat(isSnapshotOver(storage)).as("killed too late").isFalse();
        fleet.start();
    }

    private static long settledChunks(PartitionStorage storage) {
        return storage.lineage().partitions().stream()
                .filter(partition ->
                        partition.isFinished() && partition.token().value().startsWith("snapshot:added:chunk:"))
                .count();
    }

    private static boolean isSnapshotOver(PartitionStorage storage) {
        Collection<PartitionMetadata> unfinished = storage.frontier().partitions().stream()
                .filter(partition -> !partition.isFinished())
                .toList();
        return !unfinished.isEmpty()
                && unfinished.stream()
                        .map(PartitionMetadata::token)
                        .noneMatch(token -> token.isRoot() || token.isOfSnapshot());
    }

    /** A service that owns a partition of the added snapshot; what is added to its name is cut off. */
    private static Optional<String> holder(PartitionStorage storage) {
        return storage.frontier().partitions().stream()
                .filter(partition -> !partition.isFinished()
                        && partition.leaseLive()
                        && partition.token().isOfAddedSnapshot())
                .flatMap(partition -> partition.owner().stream())
                .map(WorkerId::value)
                .map(owner -> owner.substring(0, owner.indexOf('-')))
                .findFirst();
    }

    /** Returns the number of effects that came after a later one of their key. */
    private static long disorder(DataSource mirror) throws SQLException {
        try (Connection connection = mirror.getConnection();
                Statement statement = connection.createStatement();
                java.sql.ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM audit.violation WHERE revision < last_revision")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static List<String> differences(DatabaseClient client, DataSource mirror) throws SQLException {
        List<String> differences = new ArrayList<>();
        for (String table : TABLES) {
            Map<Long, Long> original = new TreeMap<>();
            try (ResultSet row = client.singleUse().read(table, KeySet.all(), List.of("Id", "Revision"))) {
                while (row.next()) {
                    original.put(row.getLong(0), row.getLong(1));
                }
            }
            Map<Long, Long> copy = new TreeMap<>();
            try (Connection connection = mirror.getConnection();
                    Statement statement = connection.createStatement();
                    java.sql.ResultSet row =
                            statement.executeQuery("SELECT \"Id\", \"Revision\" FROM mirror.\"%s\"".formatted(table))) {
                while (row.next()) {
                    copy.put(row.getLong(1), row.getLong(2));
                }
            }
            if (!original.equals(copy)) {
                Map<Long, Long> missing = new TreeMap<>(original);
                missing.entrySet().removeAll(copy.entrySet());
                Map<Long, Long> wrong = new TreeMap<>(copy);
                wrong.entrySet().removeAll(original.entrySet());
                differences.add("%s: not mirrored %s, mirrored %s".formatted(table, missing, wrong));
            }
        }
        return differences;
    }

    private static void awaitAlive(WorkerFleet fleet, Callable<Boolean> condition) throws Exception {
        awaitAlive(fleet, condition, () -> "");
    }

    private static void awaitAlive(WorkerFleet fleet, Callable<Boolean> condition, Callable<String> state)
            throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            fleet.requireAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain with seed " + SEED + ": " + state.call());
            }
            LockSupport.parkNanos(50_000_000);
        }
    }
}
