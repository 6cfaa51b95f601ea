package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
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
import dev.spream.storage.spanner.SpannerPartitionStorage;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Worker processes share a stream whose partitions split, merge and move and whose queries break, while one of them
 * after the other is killed with {@code kill -9}, or stopped for longer than its lease and continued. Nothing is lost, every
 * key stays in order, and the metadata has no gap. In streams with mutable key ranges, a worker is preferably killed while a
 * partition of it waits for a move-in, and stopped while one waits or is waited for.
 *
 * <p>{@code -Dworker.deaths=200} lets that many die; of 20 or more, at least two in five of those that are killed are in a
 * wait. {@code -Dworker.stops=false} kills them all. With {@code -Dworker.inWaits=true} as many as would be killed die in a
 * wait, and others besides, where the stream has waits. {@code -Dworker.seed=…} repeats the choice of the victims.
 */
class WorkerDeathIT {
    private static final String DATABASE = "projects/spream/instances/test/databases/counters";
    private static final int DEATHS = Integer.getInteger("worker.deaths", 1);
    private static final boolean STOPS = !"false".equals(System.getProperty("worker.stops"));
    private static final int KILLS_IN_WAITS = Boolean.getBoolean("worker.inWaits") ? DEATHS / (STOPS ? 2 : 1) : 0;
    private static final int ATTEMPTS = 4; // as many deaths as there were to be, for those kills
    private static final long SEED = Long.getLong("worker.seed", System.nanoTime() % 1_000_000);
    private static final Duration CHURN = Duration.ofMillis(DEATHS > 1 ? 700 : 3_000);
    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long POLL_NANOS = 500_000_000;
    private static final int MANY_DEATHS = 20;
    private static final int DELIVERIES_BETWEEN_DEATHS = 100;

    static Stream<Arguments> combinations() {
        Stream<Arguments> all = Stream.of(
                Arguments.of("jdbc", PartitionMode.MUTABLE_KEY_RANGE, 0),
                Arguments.of("spanner", PartitionMode.IMMUTABLE_KEY_RANGE, 1),
                Arguments.of("jdbc", PartitionMode.IMMUTABLE_KEY_RANGE, 0),
                Arguments.of("spanner", PartitionMode.MUTABLE_KEY_RANGE, 0));
        return SpannerServers.areAll() || DEATHS > 1 ? all : all.limit(2);
    }

    /** @param first a number: of the deaths, which begin at it, the even ones are kills, unless all are */
    @ParameterizedTest
    @MethodSource("combinations")
    void workers_die_and_nothing_is_lost(String storageName, PartitionMode mode, int first) throws Exception {
        Random random = new Random(SEED);
        String url = PostgresDatabase.create().jdbcUrl();
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(SEED)
                        .churn(
                                mode == PartitionMode.MUTABLE_KEY_RANGE
                                        ? PartitionChurn.every(CHURN).weights(1, 1, 4)
                                        : PartitionChurn.every(CHURN).weights(3, 2, 1))
                        .faults(FaultRates.share(0.4))
                        .start();
                HikariDataSource pool = DeliveryLedger.pool(url)) {
            DeliveryLedger ledger = new DeliveryLedger(pool);
            emulator.createDatabase(DATABASE, DatabaseDialect.GOOGLE_STANDARD_SQL, CounterWorkload.ddl(mode));
            Instant start = Instant.now(); // the stream keeps nothing from before it was created
            ledger.create();
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    PartitionStorage storage = open(storageName, pool, connection);
                    CounterWorkload workload = new CounterWorkload(connection.client(), SEED);
                    WorkerFleet fleet = new WorkerFleet(
                            Path.of("target", "workers", storageName + "-" + mode),
                            name -> WorkerProcess.command(
                                    name, emulator.emulatorHost(), DATABASE, url, storageName, start.toString()))) {
                for (int i = 0; i < WorkerFleet.SIZE; i++) {
                    fleet.start();
                }
                int deaths = 0;
                int kills = 0;
                int inWaits = 0;
                int killedInWaits = 0;
                for (int death = first; isToDie(death - first, killedInWaits, mode); death++) {
                    boolean kill = death % 2 == 0 || !STOPS || death - first >= DEATHS;
                    deaths++;
                    awaitDeliveries(ledger, fleet);
                    Optional<String> involved = mode == PartitionMode.MUTABLE_KEY_RANGE
                            ? awaitInvolved(storage, fleet, random, kill)
                            : Optional.empty();
                    inWaits += involved.isPresent() ? 1 : 0;
                    String victim = involved.isPresent() ? involved.get() : awaitHolder(storage, fleet, random);
                    if (kill) {
                        kills++;
                        fleet.kill(victim);
                        killedInWaits += waiting(storage.frontier()).anyMatch(victim::equals) ? 1 : 0;
                        fleet.start();
                    } else {
                        fleet.stop(victim);
                        awaitTakeOver(storage, victim);
                        fleet.resume(victim);
                    }
                }
                workload.stop();
                Map<String, Long> committed = workload.committed();
                awaitAll(committed, ledger, mode);
                fleet.terminate();
                report(storageName, mode, deaths, kills, inWaits, killedInWaits, committed, ledger, storage);
                if (mode == PartitionMode.MUTABLE_KEY_RANGE) {
                    assertThat(killedInWaits)
                            .as("of %d kills those in a wait for a move-in, seed %d", kills, SEED)
                            .isGreaterThanOrEqualTo(DEATHS >= MANY_DEATHS ? kills * 2 / 5 : 0)
                            .isGreaterThanOrEqualTo(KILLS_IN_WAITS);
                }
            }
        }
    }

    private static boolean isToDie(int deaths, int killedInWaits, PartitionMode mode) {
        return deaths < DEATHS
                || (mode == PartitionMode.MUTABLE_KEY_RANGE
                        && killedInWaits < KILLS_IN_WAITS
                        && deaths < ATTEMPTS * DEATHS);
    }

    private static void report(
            String storageName,
            PartitionMode mode,
            int deaths,
            int kills,
            int inWaits,
            int killedInWaits,
            Map<String, Long> committed,
            DeliveryLedger ledger,
            PartitionStorage storage)
            throws Exception {
        DeliveryJudge.Verdict verdict = judge(committed, ledger, mode);
        System.out.printf(
                "workers over %s, %s, seed %d: %d killed, %d stopped and continued, %d of them around a wait for a move-in, %d killed in one; committed %d, delivered %d, duplicates %d, of fenced workers %d%n",
                storageName,
                mode,
                SEED,
                kills,
                deaths - kills,
                inWaits,
                killedInWaits,
                committed.values().stream().mapToLong(Long::longValue).sum(),
                ledger.size(),
                verdict.duplicates(),
                verdict.fenced());
        assertThat(verdict.lost()).as("lost, seed %d", SEED).isEmpty();
        assertThat(verdict.unknown()).as("never committed, seed %d", SEED).isEmpty();
        assertThat(verdict.disorder()).as("out of order, seed %d", SEED).isEmpty();
        assertThat(verdict.lateStarts())
                .as("still consumed after the partition was taken over, seed %d", SEED)
                .isEmpty();
        assertThat(LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs())
                        .findings())
                .as("what verify finds, seed %d", SEED)
                .isEmpty();
        await( // those that were killed last are expired when their time has run out
                () -> {
                    storage.expireWorkers();
                    return storage.workers().isEmpty();
                },
                () -> "workers that ended are registered: " + storage.workers());
    }

    private static PartitionStorage open(String storageName, HikariDataSource pool, SpannerConnection connection) {
        if (storageName.equals("jdbc")) {
            return JdbcPartitionStorage.create(pool, WorkerProcess.SUBSCRIPTION);
        }
        SpannerPartitionTables.create(connection, WorkerProcess.METADATA_TABLE);
        return SpannerPartitionStorage.open(connection, WorkerProcess.METADATA_TABLE);
    }

    private static DeliveryJudge.Verdict judge(Map<String, Long> committed, DeliveryLedger ledger, PartitionMode mode)
            throws Exception {
        // Acquisitions are read later: what they tell of deliveries that were not read does no harm.
        List<DeliveryJudge.Delivered> delivered = ledger.delivered();
        return DeliveryJudge.judge(committed, delivered, ledger.acquired(), mode == PartitionMode.MUTABLE_KEY_RANGE);
    }

    private static void awaitDeliveries(DeliveryLedger ledger, WorkerFleet fleet) throws Exception {
        long before = ledger.size();
        await(
                () -> {
                    fleet.requireAlive();
                    return ledger.size() >= before + DELIVERIES_BETWEEN_DEATHS;
                },
                () -> "nothing is delivered any more, seed " + SEED);
    }

    /** One of the workers that hold partitions, whose death is noticed. The leases of those that were killed may still last. */
    private static String awaitHolder(PartitionStorage storage, WorkerFleet fleet, Random random) throws Exception {
        List<String> found = new ArrayList<>();
        await(
                () -> found.addAll(
                        holders(storage.frontier()).stream().filter(fleet::runs).toList()),
                () -> "no worker that runs holds a partition");
        return found.get(random.nextInt(found.size()));
    }

    /**
     * Returns a worker with a partition that waits for a move-in; empty if there is none for a while.
     *
     * @param waits false if one with a partition that is waited for will do as well
     */
    private static Optional<String> awaitInvolved(
            PartitionStorage storage, WorkerFleet fleet, Random random, boolean waits) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() < deadline) {
            Lineage lineage = storage.frontier();
            List<String> holders = holders(lineage).stream().filter(fleet::runs).toList();
            List<String> involved = Stream.concat(waiting(lineage), waits ? Stream.empty() : awaited(lineage))
                    .filter(holders::contains)
                    .distinct()
                    .sorted()
                    .toList();
            if (!involved.isEmpty()) {
                return Optional.of(involved.get(random.nextInt(involved.size())));
            }
            LockSupport.parkNanos(20_000_000);
        }
        return Optional.empty();
    }

    /** Returns the owners of partitions that wait for a move-in. */
    private static Stream<String> waiting(Lineage lineage) {
        return lineage.partitions().stream()
                .filter(partition -> !lineage.awaitedSources(partition).isEmpty())
                .filter(PartitionMetadata::leaseLive)
                .flatMap(partition -> partition.owner().stream())
                .map(WorkerId::value);
    }

    /** Returns the owners of partitions that others wait for. */
    private static Stream<String> awaited(Lineage lineage) {
        return lineage.partitions().stream()
                .flatMap(partition -> lineage.awaitedSources(partition).stream())
                .flatMap(source -> lineage.partition(source).stream())
                .flatMap(partition -> partition.owner().stream())
                .map(WorkerId::value);
    }

    private static List<String> holders(Lineage lineage) {
        return lineage.partitions().stream()
                .filter(partition -> !partition.isFinished() && partition.leaseLive())
                .flatMap(partition -> partition.owner().stream())
                .map(WorkerId::value)
                .distinct()
                .sorted()
                .toList();
    }

    /** Waits until others have taken over all that the stopped worker held. */
    private static void awaitTakeOver(PartitionStorage storage, String stopped) throws Exception {
        await(
                () -> storage.frontier().partitions().stream()
                        .filter(partition -> !partition.isFinished())
                        .flatMap(partition -> partition.owner().stream())
                        .noneMatch(owner -> owner.value().equals(stopped)),
                () -> "no worker took over the partitions of " + stopped);
    }

    /** Waits until everything is delivered, for as long as something is: on a busy machine much is left at the end. */
    private static void awaitAll(Map<String, Long> committed, DeliveryLedger ledger, PartitionMode mode)
            throws Exception {
        long size = -1;
        long deadline = 0;
        while (true) {
            long now = ledger.size();
            if (now != size) {
                size = now;
                deadline = System.nanoTime() + TIMEOUT.toNanos();
            } else {
                DeliveryJudge.Verdict verdict = judge(committed, ledger, mode);
                if (verdict.lost().isEmpty() && verdict.stale().isEmpty()) {
                    return;
                }
                assertThat(System.nanoTime() - deadline)
                        .as("nothing more is delivered, seed %d: lost %s, ended with an earlier number %s"
                                .formatted(SEED, verdict.lost(), verdict.stale()))
                        .isNegative();
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static void await(Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain: " + state.call());
            }
            LockSupport.parkNanos(100_000_000);
        }
    }
}
