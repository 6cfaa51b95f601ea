package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.LineageCheck;
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
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Services mirror tables into PostgreSQL that have rows already: they begin with a snapshot, while writers write, and are
 * killed with {@code kill -9} before it ends. At the end the tables are equal, row by row, no change took effect twice or
 * after a later one of its key, and the lineage proves that nothing was left out.
 *
 * <p>{@code -Dsnapshot.rows=1000000} sets the rows of the largest table, {@code -Dsnapshot.kills=5} the kills, {@code
 * -Dsnapshot.chunk=…} the rows of a chunk, {@code -Dsnapshot.seed=…} repeats the workload, and {@code -Dfleet.lease=15s}
 * lets the services of a busy machine keep their partitions.
 */
@Tag("proof")
class SnapshotIT {
    private static final String DATABASE = "projects/spream/instances/test/databases/mirrored";
    private static final String SUBSCRIPTION = "mirrored";
    private static final int ROWS = Integer.getInteger("snapshot.rows", 3_000);
    /** The chunks that a service reads at the same time. */
    private static final int READS = ROWS > 100_000 ? 8 : 1;

    private static final long CHANGES_PER_SECOND = ROWS > 100_000 ? 200 : 60;
    private static final Duration CHURN = Duration.ofMillis(ROWS > 100_000 ? 700 : 3_000);
    /** Of the writer of these rows: it writes while services start, too. */
    private static final Duration PAUSE = Duration.ofMillis(ROWS > 100_000 ? 5 : 25);

    private static final int KILLS = Integer.getInteger("snapshot.kills", 2);
    private static final int CHUNK_ROWS = Integer.getInteger("snapshot.chunk", Math.clamp(ROWS / 60, 10, 10_000));
    private static final long SEED = Long.getLong("snapshot.seed", System.nanoTime() % 1_000_000);
    private static final Duration TIMEOUT = Duration.ofSeconds(120 + ROWS / 500);
    private static final int BATCH = 500;

    /** The ids of the rows that are there before; the other writer uses greater ones. */
    private static final long LAST_BULK_ID = -10_000;

    @TempDir
    private Path folder;

    /** The other one without {@code -Dmatrix=true} is that of {@link AddedSnapshotIT}. */
    static Stream<Arguments> dialectsAndModes() {
        Stream<Arguments> all = Stream.of(
                Arguments.of(DatabaseDialect.GOOGLE_STANDARD_SQL, "IMMUTABLE_KEY_RANGE"),
                Arguments.of(DatabaseDialect.POSTGRESQL, "MUTABLE_KEY_RANGE"));
        return SpannerServers.areAll() ? all : all.limit(1);
    }

    @ParameterizedTest
    @MethodSource("dialectsAndModes")
    void tables_are_equal_after_a_snapshot_and_the_stream(DatabaseDialect dialect, String mode) throws Exception {
        boolean postgresDialect = dialect == DatabaseDialect.POSTGRESQL;
        String url = PostgresDatabase.create().jdbcUrl();
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(SEED)
                        .churn(PartitionChurn.every(CHURN).weights(3, 2, 1))
                        .faults(FaultRates.share(0.2))
                        .start();
                HikariDataSource pool = DeliveryLedger.pool(url)) {
            emulator.createDatabase(DATABASE, dialect, ddl(postgresDialect, mode));
            MirrorAudit audit = new MirrorAudit(pool);
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                    .emulatorHost(emulator.emulatorHost())
                    .open()) {
                DatabaseClient client = connection.client();
                fill(client);
                Path file = MirrorService.configure(
                        folder,
                        DATABASE,
                        "mirrored",
                        emulator.emulatorHost(),
                        url,
                        "source.spanner.snapshot-chunk-rows=%d%nsource.spanner.snapshot-reads=%d"
                                .formatted(CHUNK_ROWS, READS));
                try (PartitionStorage storage = JdbcPartitionStorage.create(pool, SUBSCRIPTION);
                        WorkerFleet fleet = new WorkerFleet(
                                Path.of("target", "snapshot", mode.toLowerCase(Locale.ROOT)),
                                name -> MirrorService.command(file, name, "--snapshot"));
                        MirrorWorkload workload =
                                new MirrorWorkload(client, postgresDialect, CHANGES_PER_SECOND, 400, 12, SEED);
                        SteadyWriter writer = new SteadyWriter(
                                SEED,
                                ROWS,
                                PAUSE,
                                (number, revision, random) -> write(client, number, revision, random))) {
                    await(() -> workload.changes() >= 400, () -> "the workload is at " + workload.changes());
                    long began = System.nanoTime();
                    for (int i = 0; i < WorkerFleet.SIZE; i++) {
                        fleet.start();
                    }
                    killDuringSnapshot(fleet, storage);
                    await(
                            () -> {
                                fleet.requireAlive();
                                return isSnapshotOver(storage);
                            },
                            () -> "the snapshot does not end, seed " + SEED);
                    double seconds = (System.nanoTime() - began) / 1e9;
                    long writtenMeanwhile = writer.written();
                    assertThat(writtenMeanwhile).isPositive();
                    writer.close();
                    workload.stop();
                    await(
                            () -> {
                                fleet.requireAlive();
                                return differences(client, audit, postgresDialect)
                                        .isEmpty();
                            },
                            () -> "not equal with seed " + SEED + ": " + differences(client, audit, postgresDialect));
                    fleet.terminate();
                    System.out.printf(
                            "snapshot of %d rows, %s, %s, seed %d: %d kills, %.1f s with them, %.0f rows/s; %d rows written meanwhile%n",
                            ROWS, dialect, mode, SEED, KILLS, seconds, ROWS / seconds, writtenMeanwhile);
                    assertThat(audit.violations())
                            .as("effects twice or too late, seed %d", SEED)
                            .isEmpty();
                    assertThat(LineageCheck.check(
                                            storage.subscription().orElseThrow(), storage.lineage(), storage.proofs())
                                    .findings())
                            .as("findings, seed %d", SEED)
                            .isEmpty();
                }
            }
        }
    }

    private static String[] ddl(boolean postgresDialect, String mode) {
        String[] ddl = MirrorTable.ddl(postgresDialect, "NEW_ROW");
        int last = ddl.length - 1;
        ddl[last] = ddl[last].replace("(value_capture", "(partition_mode = '" + mode + "', value_capture");
        return ddl;
    }

    private static void fill(DatabaseClient client) {
        for (int from = 0; from < ROWS; from += BATCH) {
            List<Mutation> rows = new ArrayList<>();
            for (int i = from; i < Math.min(ROWS, from + BATCH); i++) {
                rows.add(bulkRow(Mutation.newInsertBuilder("Pairs"), i, 1));
            }
            client.write(rows);
        }
    }

    /** Updates or deletes a row of the snapshot, or inserts it anew. */
    private static void write(DatabaseClient client, int number, long revision, RandomGenerator random) {
        client.write(List.of(
                random.nextInt(4) == 0
                        ? Mutation.delete("Pairs", Key.of(LAST_BULK_ID - number, "bulk"))
                        : bulkRow(Mutation.newInsertOrUpdateBuilder("Pairs"), number, revision)));
    }

    private static Mutation bulkRow(Mutation.WriteBuilder write, int number, long revision) {
        return write.set("Id")
                .to(LAST_BULK_ID - number)
                .set("Region")
                .to("bulk")
                .set("Amount")
                .to(new BigDecimal(number + "." + revision % 10))
                .set(MirrorTable.REVISION)
                .to(revision)
                .build();
    }

    /** Kills services while parts of the snapshot are settled and others are not. */
    private static void killDuringSnapshot(WorkerFleet fleet, PartitionStorage storage) throws Exception {
        int chunks = Math.ceilDiv(ROWS, CHUNK_ROWS);
        for (int kill = 1; kill <= KILLS; kill++) {
            int settled = chunks * kill / (KILLS + 2);
            List<String> holders = new ArrayList<>();
            await(
                    () -> {
                        fleet.requireAlive();
                        holders.clear();
                        holders.addAll(holders(storage));
                        holders.removeIf(holder -> !fleet.runs(holder)); // the lease of one that was killed lives on
                        return settledChunks(storage) >= settled && !holders.isEmpty();
                    },
                    () -> "%d chunks are settled, and not %d".formatted(settledChunks(storage), settled));
            fleet.kill(holders.getFirst());
            assertThat(isSnapshotOver(storage)).as("killed too late").isFalse();
            fleet.start();
        }
    }

    private static long settledChunks(PartitionStorage storage) {
        return storage.lineage().partitions().stream()
                .filter(partition ->
                        partition.isFinished() && partition.token().value().startsWith("snapshot:chunk:"))
                .count();
    }

    private static boolean isSnapshotOver(PartitionStorage storage) {
        return storage.lineage().partitions().stream()
                        .map(partition -> partition.token().value())
                        .anyMatch("snapshot:stream"::equals)
                && storage.frontier().partitions().stream()
                        .filter(partition -> !partition.isFinished())
                        .noneMatch(partition -> partition.token().isOfSnapshot());
    }

    /** The services that own unfinished partitions of the snapshot and run; what is added to their names is cut off. */
    private static List<String> holders(PartitionStorage storage) {
        return storage.frontier().partitions().stream()
                .filter(partition -> !partition.isFinished()
                        && partition.leaseLive()
                        && partition.token().isOfSnapshot())
                .map(PartitionMetadata::owner)
                .flatMap(owner -> owner.stream())
                .map(WorkerId::value)
                .map(owner -> owner.substring(0, owner.indexOf('-')))
                .distinct()
                .toList();
    }

    private static List<String> differences(DatabaseClient client, MirrorAudit audit, boolean postgresDialect)
            throws SQLException {
        List<String> differences = new ArrayList<>(pairDifferences(client, audit, postgresDialect));
        for (MirrorTable table : MirrorTable.ALL) {
            if (!table.equals(MirrorTable.PAIRS)) {
                differences.addAll(MirrorRows.differences(
                        table, MirrorRows.inSpanner(client, table, postgresDialect), audit.rows(table)));
            }
        }
        return differences;
    }

    /** Compares all columns of the large table without keeping its rows. */
    private static List<String> pairDifferences(DatabaseClient client, MirrorAudit audit, boolean postgresDialect)
            throws SQLException {
        MirrorTable pairs = MirrorTable.PAIRS;
        try (ResultSet rows = client.singleUse()
                .read(pairs.name(), KeySet.all(), pairs.columns().keySet())) {
            return audit.firstDifference(
                    pairs,
                    "Id",
                    () -> rows.next() ? MirrorRows.row(rows.getCurrentRowAsStruct(), pairs, postgresDialect) : null);
        }
    }

    private static void await(Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain: " + state.call());
            }
            LockSupport.parkNanos(50_000_000);
        }
    }
}
