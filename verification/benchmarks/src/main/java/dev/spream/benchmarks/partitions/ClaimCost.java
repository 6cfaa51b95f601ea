package dev.spream.benchmarks.partitions;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;

/**
 * The cost of looking for partitions and of claiming twenty of them, without other partitions and with 10,000 stored
 * ones that have finished; and that of claiming 10,000 at once. The ratio should be near one: finished partitions are
 * kept for a day, and every worker looks for partitions once a second.
 */
public final class ClaimCost {
    private static final String DATABASE = "projects/benchmark/instances/benchmark/databases/claims";
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final WorkerId WORKER = new WorkerId("benchmark");
    private static final int STORED = Integer.getInteger("stored", 10_000);
    private static final int CLAIMED = 20;
    private static final int WRITERS = 64;
    private static final int WARM_UPS = 20;
    private static final int TURNS = Integer.getInteger("turns", 100);

    private ClaimCost() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        compare("memory", new InMemoryPartitionStorage(), new InMemoryPartitionStorage());
        try (Postgres postgres = new Postgres();
                HikariDataSource pool = Postgres.pool(postgres.url())) {
            compare("PostgreSQL", JdbcPartitionStorage.create(pool, "few"), JdbcPartitionStorage.create(pool, "many"));
        }
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(DATABASE, DatabaseDialect.GOOGLE_STANDARD_SQL);
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                    .emulatorHost(emulator.emulatorHost())
                    .open()) {
                compare("Spanner emulator", spanner(connection, "Few"), spanner(connection, "Many"));
            }
        }
    }

    static PartitionStorage spanner(SpannerConnection connection, String table) {
        SpannerPartitionTables.create(connection, table);
        return SpannerPartitionStorage.open(connection, table);
    }

    private static void compare(String name, PartitionStorage few, PartitionStorage many) throws InterruptedException {
        fill(few, CLAIMED);
        double claimAll = fill(many, STORED + CLAIMED);
        finishAllBut(many, CLAIMED);
        List<Long> withFew = new ArrayList<>();
        List<Long> withMany = new ArrayList<>();
        for (int turn = -WARM_UPS; turn < TURNS; turn++) {
            long fewNanos = claim(few);
            long manyNanos = claim(many);
            if (turn >= 0) {
                withFew.add(fewNanos);
                withMany.add(manyNanos);
            }
        }
        double ratio = Measurements.median(IntStream.range(0, TURNS)
                .mapToObj(i -> (double) withMany.get(i) / withFew.get(i))
                .toList());
        Measurements.printTimes(name + ": look and claim %d".formatted(CLAIMED), withFew);
        Measurements.printTimes(name + ": the same beside %,d finished".formatted(STORED), withMany);
        System.out.printf(
                "%s: beside %,d finished it takes %.2f times as long (median); %,d are claimed at once in %.0f ms%n",
                name, STORED, ratio, STORED + CLAIMED, claimAll);
    }

    /** Stores the given number of partitions, and claims them once; returns the duration of the claim in milliseconds. */
    static double fill(PartitionStorage storage, int partitions) {
        storage.openSubscription(new SubscriptionRecord(
                "Benchmark",
                START,
                Optional.empty(),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
        PartitionLease root = acquire(storage, storage.frontier()).getFirst();
        storage.markRunning(root);
        List<ChildPartition> children = IntStream.range(0, partitions)
                .mapToObj(i -> ChildPartition.of(token(i), List.of()))
                .toList();
        storage.addChildren(root, new ChildPartitionsRecord(START, "00000001", children));
        storage.finish(
                root,
                START,
                PartitionEnd.childPartitions(
                        START,
                        children.stream()
                                .map(child -> new PartitionToken(child.token()))
                                .toList()));
        Lineage frontier = storage.frontier();
        long startedAt = System.nanoTime();
        List<PartitionLease> leases = acquire(storage, frontier);
        double millis = (System.nanoTime() - startedAt) / 1e6;
        if (leases.size() != partitions) {
            throw new IllegalStateException("%d of %d were claimed".formatted(leases.size(), partitions));
        }
        storage.release(leases);
        return millis;
    }

    private static void finishAllBut(PartitionStorage storage, int left) throws InterruptedException {
        List<PartitionLease> leases = acquire(storage, storage.frontier());
        Semaphore permits = new Semaphore(WRITERS);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (PartitionLease lease : leases.subList(left, leases.size())) {
                permits.acquire();
                threads.execute(() -> {
                    try {
                        storage.markRunning(lease);
                        storage.finish(lease, START.plusSeconds(1), PartitionEnd.boundedEnd(START.plusSeconds(1)));
                    } finally {
                        permits.release();
                    }
                });
            }
        }
        storage.release(leases);
        if (storage.frontier().partitions().size() != left) {
            throw new IllegalStateException("not all partitions were finished");
        }
    }

    /** Measures one look and one claim; the partitions are released outside the measured time. */
    private static long claim(PartitionStorage storage) {
        long startedAt = System.nanoTime();
        List<PartitionLease> leases = acquire(storage, storage.frontier());
        long nanos = System.nanoTime() - startedAt;
        if (leases.size() != CLAIMED) {
            throw new IllegalStateException("%d were claimed".formatted(leases.size()));
        }
        storage.release(leases);
        return nanos;
    }

    private static List<PartitionLease> acquire(PartitionStorage storage, Lineage frontier) {
        List<PartitionClaim> claims =
                frontier.claimable().stream().map(PartitionClaim::of).toList();
        return storage.acquire(WORKER, claims, LEASE);
    }

    /** Returns a token as long as Spanner's. */
    private static String token(int number) {
        char[] token = new char[140];
        Arrays.fill(token, 'x');
        return new String(token) + "%06d".formatted(number);
    }
}
