package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WorkerId;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Services mirror tables of every column type into PostgreSQL, while partitions split, merge and move, queries break,
 * and the services are killed with {@code kill -9} or stopped for longer than their lease and continued. With each of them
 * the server of the tables is killed too, and started again. At the end the tables are equal, row by row, and no change took
 * effect twice or after a later one of its key.
 *
 * <p>{@code -Dmirror.changes=1000000} mirrors at least that many changes, {@code -Dmirror.rate=…} so many a second,
 * {@code -Dmirror.deaths=30} kills that many services, {@code -Dmirror.seed=…} repeats the workload and the choice of
 * services.
 */
class MirrorIT {
    private static final String DATABASE = "projects/spream/instances/test/databases/mirrored";
    private static final String SUBSCRIPTION = "mirrored";
    private static final long CHANGES = Long.getLong("mirror.changes", 300);
    private static final long CHANGES_PER_SECOND = Long.getLong("mirror.rate", 60);
    private static final int DEATHS = Integer.getInteger("mirror.deaths", 1);
    private static final long SEED = Long.getLong("mirror.seed", System.nanoTime() % 1_000_000);
    private static final Duration CHURN = Duration.ofMillis(DEATHS > 1 ? 700 : 3_000);
    private static final int KEYS = Math.toIntExact(Math.clamp(CHANGES / 200, 50, 5_000));
    private static final Duration TIMEOUT = Duration.ofSeconds(90 + 2 * CHANGES / CHANGES_PER_SECOND);

    @TempDir
    private Path folder;

    @Test
    void tables_of_googlesql_are_equal_when_streams_tell_modified_columns() throws Exception {
        run(DatabaseDialect.GOOGLE_STANDARD_SQL, "OLD_AND_NEW_VALUES", 0);
    }

    @Test
    @Tag("proof")
    void tables_of_postgresql_are_equal_when_streams_tell_whole_rows() throws Exception {
        run(DatabaseDialect.POSTGRESQL, "NEW_ROW", 1);
    }

    /** @param first a number: of the deaths, which begin at it, the even ones are kills */
    private void run(DatabaseDialect dialect, String captureType, int first) throws Exception {
        boolean postgresDialect = dialect == DatabaseDialect.POSTGRESQL;
        Random random = new Random(SEED);
        try (KillablePostgres server = new KillablePostgres(folder);
                SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(SEED)
                        .churn(PartitionChurn.every(CHURN).weights(3, 2, 1))
                        .faults(FaultRates.share(0.4))
                        .start();
                HikariDataSource pool = DeliveryLedger.pool(server.jdbcUrl())) {
            emulator.createDatabase(DATABASE, dialect, MirrorTable.ddl(postgresDialect, captureType));
            Path file = MirrorService.configure(
                    folder,
                    DATABASE,
                    "mirrored",
                    emulator.emulatorHost(),
                    server.jdbcUrl(),
                    "start=%s%nfinished-retention=5s%nretry.max-attempts=1".formatted(Instant.now()));
            MirrorAudit audit = new MirrorAudit(pool);
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    PartitionStorage storage = JdbcPartitionStorage.create(pool, SUBSCRIPTION);
                    WorkerFleet fleet = new WorkerFleet(
                            Path.of("target", "mirror", captureType.toLowerCase(Locale.ROOT)),
                            name -> MirrorService.command(file, name));
                    MirrorWorkload workload = new MirrorWorkload(
                            connection.client(), postgresDialect, CHANGES_PER_SECOND, KEYS, 12, SEED)) {
                for (int i = 0; i < WorkerFleet.SIZE; i++) {
                    fleet.start();
                }
                int kills = letDie(first, fleet, storage, audit, random, () -> killServer(server, pool, random));
                await(
                        () -> workload.changes() >= CHANGES && audit.ledgerIsPruned(),
                        () -> "the workload is at %d, the ledger was%s pruned"
                                .formatted(workload.changes(), audit.ledgerIsPruned() ? "" : " not"));
                workload.stop();
                await(
                        () -> {
                            fleet.requireAlive();
                            return differences(connection.client(), audit, postgresDialect)
                                    .isEmpty();
                        },
                        () -> "not equal with seed " + SEED + ": "
                                + differences(connection.client(), audit, postgresDialect));
                fleet.terminate();
                System.out.printf(
                        "mirror of %s, %s, seed %d: %d changes of %d keys in %d transactions, %d effects, %d of %d deaths by kill -9, each with one of the server, %d ledger rows left%n",
                        dialect,
                        captureType,
                        SEED,
                        workload.changes(),
                        KEYS,
                        workload.transactions(),
                        audit.effects(),
                        kills,
                        DEATHS,
                        audit.ledgerRows());
                assertThat(differences(connection.client(), audit, postgresDialect))
                        .as("differences after the end, seed %d", SEED)
                        .isEmpty();
                assertThat(audit.violations())
                        .as("effects twice or too late, seed %d", SEED)
                        .isEmpty();
            }
        }
    }

    /**
     * Kills some of the services, and stops others until they are taken for dead; how many it killed. The server dies with
     * each of them.
     */
    private static int letDie(
            int first,
            WorkerFleet fleet,
            PartitionStorage storage,
            MirrorAudit audit,
            Random random,
            Callable<Boolean> killServer)
            throws Exception {
        int kills = 0;
        for (int death = first; death < first + DEATHS; death++) {
            awaitEffects(audit, fleet);
            awaitRegistrations(storage, fleet);
            String victim = awaitHolder(storage, fleet, random);
            if (death % 2 == 0) {
                kills++;
                fleet.kill(victim);
                killServer.call();
                fleet.start();
            } else {
                fleet.stop(victim);
                killServer.call();
                await(
                        () -> holders(storage).stream().noneMatch(victim::equals),
                        () -> "no worker took over the partitions of " + victim);
                fleet.resume(victim);
            }
        }
        return kills;
    }

    /** Kills the server and starts it again; in a long trial after a pause, which may be longer than a lease. */
    private static boolean killServer(KillablePostgres server, HikariDataSource pool, Random random) throws Exception {
        server.kill();
        if (DEATHS > 1) {
            TimeUnit.MILLISECONDS.sleep(random.nextInt(5_000));
        }
        server.restart();
        pool.getHikariPoolMXBean().softEvictConnections(); // they ended with the server
        return true;
    }

    /** Deaths are spread over the workload. */
    private static void awaitEffects(MirrorAudit audit, WorkerFleet fleet) throws Exception {
        long before = audit.effects();
        await(
                () -> {
                    fleet.requireAlive();
                    return audit.effects() >= before + CHANGES / (DEATHS * 3L);
                },
                () -> "nothing is mirrored any more, seed " + SEED);
    }

    /** A service that starts while its server is down ends. */
    private static void awaitRegistrations(PartitionStorage storage, WorkerFleet fleet) throws Exception {
        await(
                () -> {
                    fleet.requireAlive();
                    return storage.workers().stream()
                                    .map(registration -> service(registration.worker()))
                                    .filter(fleet::runs)
                                    .count()
                            == WorkerFleet.SIZE;
                },
                () -> "not all services run");
    }

    private static String awaitHolder(PartitionStorage storage, WorkerFleet fleet, Random random) throws Exception {
        List<String> found = new ArrayList<>();
        await(
                () -> found.addAll(holders(storage).stream().filter(fleet::runs).toList()),
                () -> "no service that runs holds a partition");
        return found.get(random.nextInt(found.size()));
    }

    /** The services that own unfinished partitions. */
    private static List<String> holders(PartitionStorage storage) {
        return storage.frontier().partitions().stream()
                .filter(partition -> !partition.isFinished())
                .flatMap(partition -> partition.owner().stream())
                .map(MirrorIT::service)
                .distinct()
                .sorted()
                .toList();
    }

    /** The name of a worker's service, to which the worker adds a suffix. */
    private static String service(WorkerId worker) {
        return worker.value().substring(0, worker.value().indexOf('-'));
    }

    private static List<String> differences(DatabaseClient client, MirrorAudit audit, boolean postgresDialect)
            throws SQLException {
        List<String> differences = new ArrayList<>();
        for (MirrorTable table : MirrorTable.ALL) {
            differences.addAll(MirrorRows.differences(
                    table, MirrorRows.inSpanner(client, table, postgresDialect), audit.rows(table)));
        }
        return differences;
    }

    private static void await(Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain: " + state.call());
            }
            LockSupport.parkNanos(200_000_000);
        }
    }
}
