package dev.spream.benchmarks.partitions;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.subscription.lease.FrontierView;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The looks of 100 workers that hold 10,000 partitions, each with a mark of its own: while nothing changes, in turns with
 * reads of the whole frontier and of all workers; and with one split before each worker has looked once, as in a second.
 * Then the heap that a worker's view of them takes.
 */
public final class CoordinationCost {
    private static final String DATABASE = "projects/benchmark/instances/benchmark/databases/coordination";
    private static final Duration LEASE = Duration.ofHours(1);
    private static final int WORKERS = Integer.getInteger("workers", 100);
    private static final int PARTITIONS = Integer.getInteger("partitions", 10_000);
    private static final int VIEWS = 10;
    private static final int WARM_UPS = 5;
    private static final int TURNS = Integer.getInteger("turns", 20);
    private static final int SPLITS = Integer.getInteger("splits", 10);

    private final String name;
    private final PartitionStorage storage;
    private final List<WorkerId> workers = IntStream.range(0, WORKERS)
            .mapToObj(i -> new WorkerId("worker-%03d".formatted(i)))
            .toList();
    private final List<PartitionLease> leases = new ArrayList<>();
    private final List<Optional<String>> marks = new ArrayList<>();

    private CoordinationCost(String name, PartitionStorage storage) {
        this.name = name;
        this.storage = storage;
    }

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (Postgres postgres = new Postgres();
                HikariDataSource pool = Postgres.pool(postgres.url())) {
            new CoordinationCost("PostgreSQL", JdbcPartitionStorage.create(pool, "looks")).measure();
        }
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(DATABASE, DatabaseDialect.GOOGLE_STANDARD_SQL);
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                    .emulatorHost(emulator.emulatorHost())
                    .open()) {
                new CoordinationCost("Spanner emulator", ClaimCost.spanner(connection, "Looks")).measure();
            }
        }
    }

    private void measure() {
        fill();
        Reads looks = new Reads();
        Reads whole = new Reads();
        for (int turn = -WARM_UPS; turn < TURNS; turn++) {
            Reads into = turn < 0 ? new Reads() : looks;
            for (int worker = 0; worker < WORKERS; worker += 10) {
                look(worker, into);
            }
            readAll(turn < 0 ? new Reads() : whole);
        }
        Reads beside = new Reads();
        for (int split = 0; split < SPLITS; split++) {
            split(leases.get(split));
            for (int worker = 0; worker < WORKERS; worker++) {
                look(worker, beside);
            }
        }
        looks.print(name + ": look, 1 call, nothing changes");
        whole.print(name + ": whole frontier and workers, 2 calls");
        beside.print(name + ": look, 1 call, one split a second");
        System.out.printf("%-54s %.1f MiB of heap%n", name + ": a worker's view of all partitions", memoryOfAView());
    }

    /** Returns the mebibytes that a worker's view of all partitions occupies: the mean of several. */
    private double memoryOfAView() {
        List<FrontierView> views = new ArrayList<>();
        double before = Measurements.heapAfterCollection();
        for (int i = 0; i < VIEWS; i++) {
            FrontierView view = new FrontierView(workers.get(i));
            view.take(storage.frontierSince(Optional.empty(), Set.of()));
            view.update(Set.copyOf(workers), Set.of());
            views.add(view);
        }
        double used = Measurements.heapAfterCollection() - before;
        return used / views.size();
    }

    private void fill() {
        ClaimCost.fill(storage, PARTITIONS);
        List<PartitionClaim> claims =
                storage.frontier().claimable().stream().map(PartitionClaim::of).toList();
        Instant now = storage.frontier().readAt();
        for (int i = 0; i < WORKERS; i++) {
            WorkerId worker = workers.get(i);
            leases.addAll(storage.acquire(
                    worker, claims.subList(i * PARTITIONS / WORKERS, (i + 1) * PARTITIONS / WORKERS), LEASE));
            WorkerProgress progress = new WorkerProgress(Optional.of(ClaimCost.START), now);
            storage.registerWorker(worker, PARTITIONS, false, Optional.of(progress), LEASE);
        }
        marks.addAll(Collections.nCopies(
                WORKERS, storage.frontierSince(Optional.empty(), Set.of()).mark()));
    }

    private void look(int worker, Reads reads) {
        long startedAt = System.nanoTime();
        FrontierChanges look = storage.frontierSince(marks.get(worker), Set.of());
        reads.add(System.nanoTime() - startedAt, look.partitions().partitions().size());
        marks.set(worker, look.mark());
    }

    private void readAll(Reads reads) {
        long startedAt = System.nanoTime();
        int rows = storage.workers().size() + storage.frontier().partitions().size();
        reads.add(System.nanoTime() - startedAt, rows);
    }

    private void split(PartitionLease parent) {
        String token = parent.token().value();
        List<ChildPartition> children =
                List.of(ChildPartition.of(token + "1", List.of(token)), ChildPartition.of(token + "2", List.of(token)));
        storage.markRunning(parent);
        storage.addChildren(parent, new ChildPartitionsRecord(ClaimCost.START, "00000001", children));
        List<PartitionToken> tokens = children.stream()
                .map(child -> new PartitionToken(child.token()))
                .toList();
        storage.finish(parent, ClaimCost.START, PartitionEnd.childPartitions(ClaimCost.START, tokens));
        List<PartitionClaim> claims =
                tokens.stream().map(child -> new PartitionClaim(child, 0)).toList();
        if (storage.acquire(parent.owner(), claims, LEASE).size() != children.size()) {
            throw new IllegalStateException("the children were not acquired");
        }
    }

    /** The times of reads, and the rows that they returned. */
    private static final class Reads {
        private final List<Long> nanos = new ArrayList<>();
        private long rows;

        private void add(long time, int returned) {
            nanos.add(time);
            rows += returned;
        }

        private void print(String what) {
            System.out.printf(
                    "%-54s %,6d times: %s; %,.1f rows%n",
                    what, nanos.size(), Measurements.times(nanos, 2), (double) rows / nanos.size());
        }
    }
}
