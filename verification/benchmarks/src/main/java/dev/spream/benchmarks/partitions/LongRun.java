package dev.spream.benchmarks.partitions;

import com.sun.management.UnixOperatingSystemMXBean;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.EmulatorProcess;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.LineageReport;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * A subscriber in this process's heap of 128 MiB, over PostgreSQL, reads two hundred partitions that split, merge and move
 * at a steady rate, for an hour: heap after a collection, threads, open files, direct memory and rows of each table, every
 * minute. Goal: after the warm-up, none of them is higher in the last third than in the first, and the lineage is proven.
 */
public final class LongRun {
    private static final int MINUTES = Integer.getInteger("long.minutes", 60);
    private static final int PARTITIONS = Integer.getInteger("partitions", 200);
    private static final int MIN_SAMPLES = 30;
    private static final Duration INTERVAL = Duration.ofMinutes(MINUTES).dividedBy(Math.max(MINUTES, MIN_SAMPLES));
    private static final Duration FINISHED_RETENTION = Duration.ofSeconds(20);
    private static final Duration PROOF_RETENTION = Duration.ofSeconds(60);

    /** The time until proofs are forgotten as fast as partitions finish, or a sixth of the run. */
    private static final Duration WARM_UP = Collections.max(
            List.of(PROOF_RETENTION.multipliedBy(2), Duration.ofMinutes(MINUTES).dividedBy(6)));

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final double SHARE = 1.1;
    private static final double MEBIBYTE = 1 << 20;

    private final HikariDataSource pool;
    private final LongAdder changes = new LongAdder();
    private final List<Figure> figures = List.of(
            new Figure("heap MiB", 2, Measurements::heapAfterCollection),
            new Figure("threads", 10, () -> ManagementFactory.getThreadMXBean().getThreadCount()),
            new Figure("files", 3, LongRun::openFiles),
            new Figure("direct MiB", 1, LongRun::directMemory),
            new Figure("unfinished", 10, () -> rows("partitions WHERE state <> 'FINISHED'")),
            new Figure("finished", 10, () -> rows("partitions WHERE state = 'FINISHED' AND removed_at IS NULL")),
            new Figure("proofs", 10, () -> rows("partitions WHERE removed_at IS NOT NULL")),
            new Figure("subscriptions", 0, () -> rows("subscriptions")),
            new Figure("workers", 0, () -> rows("workers")),
            new Figure("corrections", 0, () -> rows("subscription_corrections")));
    private final List<List<Double>> samples = new ArrayList<>();

    private LongRun(HikariDataSource pool) {
        this.pool = pool;
    }

    /**
     * A measured figure.
     *
     * @param slack how much it may grow, where a tenth is less
     */
    private record Figure(String name, double slack, Measured measured) {}

    private interface Measured {
        double read() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (Postgres postgres = new Postgres();
                HikariDataSource pool = Postgres.pool(postgres.url());
                ChildJvm emulator =
                        ChildJvm.start(ChurningEmulator.class, List.of("-Xmx2g"), Integer.toString(PARTITIONS));
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(EmulatorProcess.DATABASE))
                        .emulatorHost(emulator.nextLine())
                        .open();
                PartitionStorage storage = JdbcPartitionStorage.create(pool, "long-run")) {
            LongRun run = new LongRun(pool);
            run.read(connection, storage);
            run.requireFlat();
            requireProven(storage);
        }
    }

    private void read(SpannerConnection connection, PartitionStorage storage) throws Exception {
        SubscriberOptions options = SubscriberOptions.builder()
                .maxInflight(16)
                .finishedRetention(FINISHED_RETENTION)
                .proofRetention(PROOF_RETENTION)
                .build();
        try (var running = Executors.newSingleThreadExecutor();
                SpannerChangeStreamSource source =
                        connection.source(EmulatorProcess.STREAM).build();
                Subscriber subscriber =
                        Subscriber.builder(source, storage).options(options).build()) {
            Future<CompletionReason> run = running.submit(() -> subscriber.run(change -> changes.increment()));
            print("seconds", figures.stream().map(Figure::name).toList(), "changes");
            long startedAt = System.nanoTime();
            for (Duration at = INTERVAL; at.compareTo(Duration.ofMinutes(MINUTES)) <= 0; at = at.plus(INTERVAL)) {
                Parallel.waitUntil(startedAt + at.toNanos());
                if (run.isDone()) {
                    throw new IllegalStateException("the subscriber ended as " + run.get());
                }
                sample(at);
            }
            subscriber.shutdown(TIMEOUT);
            run.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private void sample(Duration at) throws Exception {
        List<Double> sample = new ArrayList<>();
        for (Figure figure : figures) {
            sample.add(figure.measured().read());
        }
        if (at.compareTo(WARM_UP) >= 0) {
            samples.add(sample);
        }
        print(
                Long.toString(at.toSeconds()),
                sample.stream().map("%.1f"::formatted).toList(),
                Long.toString(changes.sum()));
    }

    private static void print(String first, List<String> middle, String last) {
        System.out.printf(
                "%-24s %s %10s%n",
                first, middle.stream().map("%13s"::formatted).collect(Collectors.joining(" ")), last);
    }

    /** Compares the last third of the samples with the first. */
    private void requireFlat() {
        List<Double> before = means(samples.subList(0, samples.size() / 3));
        List<Double> after = means(samples.subList(samples.size() - samples.size() / 3, samples.size()));
        print("first third", before.stream().map("%.1f"::formatted).toList(), "");
        print("last third", after.stream().map("%.1f"::formatted).toList(), "");
        List<String> grown = new ArrayList<>();
        for (int i = 0; i < figures.size(); i++) {
            Figure figure = figures.get(i);
            if (after.get(i) > Math.max(before.get(i) * SHARE, before.get(i) + figure.slack())) {
                grown.add("%s from %.1f to %.1f".formatted(figure.name(), before.get(i), after.get(i)));
            }
        }
        if (!grown.isEmpty()) {
            throw new IllegalStateException("grown: " + String.join(", ", grown));
        }
        System.out.println("flat");
    }

    private List<Double> means(List<List<Double>> some) {
        List<Double> means = new ArrayList<>();
        for (int i = 0; i < figures.size(); i++) {
            int figure = i;
            means.add(some.stream()
                    .mapToDouble(sample -> sample.get(figure))
                    .average()
                    .orElseThrow());
        }
        return means;
    }

    private static void requireProven(PartitionStorage storage) {
        var lineage = storage.lineage();
        var proofs = storage.proofs();
        LineageReport report = LineageCheck.check(storage.subscription().orElseThrow(), lineage, proofs);
        if (!report.isProven() || report.provenFrom().isEmpty()) {
            throw new IllegalStateException("not proven: " + report);
        }
        System.out.printf("proven from %s on%n", report.provenFrom().get());
    }

    private double rows(String table) throws Exception {
        return Sql.count(pool, "spream." + table);
    }

    private static double openFiles() {
        return ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
                .getOpenFileDescriptorCount();
    }

    private static double directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(buffers -> buffers.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum()
                / MEBIBYTE;
    }
}
