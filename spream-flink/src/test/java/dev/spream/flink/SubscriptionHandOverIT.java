package dev.spream.flink;

import static dev.spream.flink.FlinkJobIT.DATABASE;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.DatabaseClient;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.record.Mod;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.flink.guide.SubscriptionAndBack;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Workers read a part of the changes, a job continues where they stopped, and workers where the job stopped. The versions of
 * a key are 1, 2, 3, ...: each reader has to see them in order and once, from the next one or an earlier one on.
 */
class SubscriptionHandOverIT {
    private static final String TABLE = "CountersPartitions";
    private static final int KEYS = 12;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** The versions that the job has seen, by test and key, since a cluster copies functions. */
    private static final Map<String, Map<String, List<Long>>> JOB = new ConcurrentHashMap<>();

    private final String name = UUID.randomUUID().toString();
    private final Map<String, Long> committed = new TreeMap<>();

    @TempDir
    Path directory;

    /** From a checkpoint that is kept; with the other partition mode from a savepoint, as the snapshot below is. */
    @ParameterizedTest
    @MethodSource("dev.spream.flink.FlinkJobIT#modes")
    void a_job_continues_a_stored_subscription_and_workers_continue_the_job(String mode) throws Exception {
        boolean keptCheckpoint = mode.equals("MUTABLE_KEY_RANGE");
        Map<String, List<Long>> before = new ConcurrentHashMap<>();
        Map<String, List<Long>> job = JOB.computeIfAbsent(name, key -> new ConcurrentHashMap<>());
        Map<String, List<Long>> after = new ConcurrentHashMap<>();
        try (SpannerEmulator emulator = FlinkJobIT.emulator(mode, FaultRates.share(0.05));
                SpannerConnection connection = FlinkJobIT.connect(emulator);
                MiniCluster cluster = JobCluster.notStarted(new Configuration())) {
            cluster.start();
            SpannerPartitionTables.create(connection, TABLE);
            SpannerSubscription stored = SpannerSubscription.of(DATABASE, TABLE).emulatorHost(emulator.emulatorHost());
            try (PartitionStorage storage = SpannerPartitionStorage.open(connection, TABLE)) {
                subscribe(emulator, storage, before, () -> {
                    write(connection.client(), 60, 1);
                    await(() -> count(before) > count(committed) / 2, before);
                    assertThatThrownBy(stored::read).hasMessageContaining("may read the subscription");
                });
                assertProven(storage);
                int settled = count(before);
                write(connection.client(), 60, 2);

                JobID id = cluster.submitJob(job(emulator, stored)).get().getJobID();
                write(connection.client(), 60, 3);
                await(() -> isRunning(cluster, id) && settled + count(job) > count(committed) / 5 * 4, job);
                String savepoint = keptCheckpoint ? cancelled(cluster, id) : stopped(cluster, id);

                assertThatThrownBy(() -> JobSavepoint.read(savepoint, "other"))
                        .hasMessageContaining("has no source with uid other, but those with [changes]");
                assertThat(SubscriptionAndBack.back(savepoint, stored))
                        .contains("replaced by the state of another reader");
                assertThat(SubscriptionAndBack.back(savepoint, stored))
                        .as("again")
                        .isEmpty();
                assertProven(storage);
                subscribe(emulator, storage, after, () -> {
                    write(connection.client(), 60, 4);
                    await(() -> committed.entrySet().stream().allMatch(key -> isSeen(key, after)), after);
                });
            }
        }
        assertThat(repeated(before, job))
                .as("the changes at the watermarks alone come again")
                .isLessThan(2 * KEYS);
        assertThat(repeated(both(before, job), after))
                .as("repeated of %d that the job has read", count(job))
                .isLessThan(count(job) / 2);
    }

    /** Workers have read a part of the rows, a job reads a part of the others, and workers read the rest. */
    @Test
    void a_snapshot_is_handed_over_before_its_end() throws Exception {
        Map<String, List<Long>> before = new ConcurrentHashMap<>();
        Map<String, List<Long>> job = JOB.computeIfAbsent(name, key -> new ConcurrentHashMap<>());
        Map<String, List<Long>> after = new ConcurrentHashMap<>();
        try (SpannerEmulator emulator = FlinkJobIT.emulator("IMMUTABLE_KEY_RANGE", FaultRates.share(0.05));
                SpannerConnection connection = FlinkJobIT.connect(emulator);
                MiniCluster cluster = JobCluster.notStarted(new Configuration())) {
            cluster.start();
            SpannerPartitionTables.create(connection, TABLE);
            SpannerSubscription stored = SpannerSubscription.of(DATABASE, TABLE).emulatorHost(emulator.emulatorHost());
            write(connection.client(), 60, 5);
            try (PartitionStorage storage = SpannerPartitionStorage.open(connection, TABLE)) {
                readRows(connection, storage, before, KEYS / 3);
                assertThat(storage.lineage().partitions())
                        .as("the snapshot is not over")
                        .anyMatch(partition -> partition.token().isOfSnapshot() && !partition.isFinished());

                JobID id = cluster.submitJob(job(emulator, stored)).get().getJobID();
                await(() -> isRunning(cluster, id) && !job.isEmpty(), job);
                write(connection.client(), 60, 6);
                String savepoint = stopped(cluster, id);
                SubscriptionAndBack.back(savepoint, stored);
                assertProven(storage);
                subscribe(emulator, storage, after, () -> {
                    write(connection.client(), 60, 7);
                    await(() -> isCurrent(before, job, after), after);
                });
            }
        }
        for (Map<String, List<Long>> seen : List.of(before, job, after)) {
            assertThat(seen.values())
                    .allSatisfy(versions -> assertThat(versions).isSorted());
        }
    }

    /** Reads that many rows of a snapshot, and stops within the next one. */
    private static void readRows(
            SpannerConnection connection, PartitionStorage storage, Map<String, List<Long>> seen, int rows)
            throws Exception {
        CountDownLatch enough = new CountDownLatch(1);
        try (ChangeStreamSource source =
                        connection.source("CountersStream").snapshotChunkRows(3).build();
                Subscriber subscriber = Subscriber.builder(source, storage)
                        .options(options -> options.snapshot(true)
                                .ordering(Ordering.PARTITION)
                                .heartbeatInterval(Duration.ofMillis(200)))
                        .build()) {
            Thread running = Thread.ofVirtual()
                    .start(() -> subscriber.run(change -> {
                        if (count(seen) >= rows) {
                            enough.countDown();
                            throw new IOException("stopped within the snapshot");
                        }
                        for (Mod mod : change.mods()) {
                            saw(seen, id(mod), version(mod));
                        }
                    }));
            assertThat(enough.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            subscriber.shutdown(Duration.ofSeconds(1));
            running.join();
        }
    }

    /** Returns whether the last version of each key that any of the readers has seen is the committed one. */
    @SafeVarargs
    private boolean isCurrent(Map<String, List<Long>>... readers) {
        return committed.entrySet().stream()
                .allMatch(key -> Stream.of(readers)
                        .flatMap(seen -> List.copyOf(seen.getOrDefault(key.getKey(), List.of())).stream())
                        .anyMatch(key.getValue()::equals));
    }

    private String stopped(MiniCluster cluster, JobID job) throws Exception {
        return cluster.stopWithSavepoint(job, directory.toUri().toString(), false, SavepointFormatType.CANONICAL)
                .get();
    }

    /** Cancels the job; returns its last checkpoint, which is kept. */
    private String cancelled(MiniCluster cluster, JobID job) throws Exception {
        cluster.triggerCheckpoint(job).get();
        cluster.cancelJob(job).get();
        cluster.requestJobResult(job).get();
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.endsWith("_metadata"))
                    .map(Path::getParent)
                    .max(Comparator.comparing(checkpoint ->
                            Integer.valueOf(checkpoint.getFileName().toString().replace("chk-", ""))))
                    .orElseThrow()
                    .toUri()
                    .toString();
        }
    }

    private static void assertProven(PartitionStorage storage) {
        assertThat(LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs())
                        .findings())
                .as("findings in %s and %s", storage.lineage().partitions(), storage.proofs())
                .isEmpty();
    }

    /** Returns the last versions of both, of which the second continues the first. */
    private static Map<String, List<Long>> both(Map<String, List<Long>> first, Map<String, List<Long>> second) {
        Map<String, List<Long>> both = new TreeMap<>(first);
        both.putAll(second);
        return both;
    }

    private boolean isSeen(Map.Entry<String, Long> key, Map<String, List<Long>> seen) {
        List<Long> versions =
                seen.getOrDefault(key.getKey(), requireNonNull(JOB.get(name)).getOrDefault(key.getKey(), List.of(0L)));
        synchronized (versions) {
            return versions.getLast().equals(key.getValue());
        }
    }

    /** Requires that a reader continues another one; returns the number of versions that it has seen again. */
    private static long repeated(Map<String, List<Long>> first, Map<String, List<Long>> second) {
        long repeated = 0;
        for (Map.Entry<String, List<Long>> key : second.entrySet()) {
            List<Long> versions = key.getValue();
            long last = first.getOrDefault(key.getKey(), List.of(0L)).getLast();
            assertThat(versions.getFirst())
                    .as("the first version of %s after %d", key.getKey(), last)
                    .isBetween(1L, last + 1);
            for (int i = 1; i < versions.size(); i++) {
                assertThat(versions.get(i))
                        .as("versions of %s: %s", key.getKey(), versions)
                        .isEqualTo(versions.get(i - 1) + 1);
            }
            repeated += last + 1 - versions.getFirst();
        }
        return repeated;
    }

    /** The steps of the test while a subscriber runs. */
    private interface Work {
        void run() throws Exception;
    }

    private static void subscribe(
            SpannerEmulator emulator, PartitionStorage storage, Map<String, List<Long>> seen, Work work)
            throws Exception {
        try (ChangeStreamSource source = FlinkJobIT.stream(emulator).open();
                Subscriber subscriber = Subscriber.builder(source, storage)
                        .options(options -> options.maxInflight(8).heartbeatInterval(Duration.ofMillis(200)))
                        .build()) {
            Thread running = Thread.ofVirtual()
                    .start(() -> subscriber.run(change -> {
                        for (Mod mod : change.mods()) {
                            saw(seen, id(mod), version(mod));
                        }
                    }));
            work.run();
            assertThat(subscriber.shutdown(Duration.ofSeconds(30))).isTrue();
            running.join();
        }
    }

    private static String id(Mod mod) {
        return mod.keys().string("Id").orElseThrow();
    }

    private static long version(Mod mod) {
        return mod.newValues().int64("Version").orElseThrow();
    }

    private static void saw(Map<String, List<Long>> seen, String key, long version) {
        seen.computeIfAbsent(key, id -> Collections.synchronizedList(new ArrayList<>()))
                .add(version);
    }

    private JobGraph job(SpannerEmulator emulator, SpannerSubscription stored) {
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.dir", directory.toUri().toString());
        configuration.setString("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(3);
        env.enableCheckpointing(300);
        FlinkChangeStreamSource<Tuple3<String, Long, Instant>> source =
                SubscriptionAndBack.continued(FlinkJobIT.stream(emulator), stored, new FlinkJobIT.Versions());
        WatermarkStrategy<Tuple3<String, Long, Instant>> aligned =
                WatermarkStrategy.<Tuple3<String, Long, Instant>>noWatermarks()
                        .withWatermarkAlignment("changes", Duration.ofMillis(500), Duration.ofMillis(100));
        source.addTo(env, "changes", aligned)
                .uid("changes")
                .keyBy(version -> version.f0)
                .process(new Recorded(name))
                .sinkTo(new DiscardingSink<>());
        return env.getStreamGraph().getJobGraph();
    }

    /** Records each version. */
    private static final class Recorded extends KeyedProcessFunction<String, Tuple3<String, Long, Instant>, Long> {
        private static final long serialVersionUID = 1;

        private final String test;

        Recorded(String test) {
            this.test = test;
        }

        @Override
        public void processElement(Tuple3<String, Long, Instant> version, Context context, Collector<Long> out) {
            saw(requireNonNull(JOB.get(test)), version.f0, version.f1);
            out.collect(version.f1);
        }
    }

    private static boolean isRunning(MiniCluster cluster, JobID job) {
        JobStatus status = cluster.getJobStatus(job).join();
        assertThat(status.isTerminalState()).as("status %s", status).isFalse();
        return status == JobStatus.RUNNING;
    }

    private void write(DatabaseClient client, int transactions, long seed) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < transactions; i++) {
            String id = "key-" + random.nextInt(KEYS);
            committed.merge(id, 1L, Long::sum);
            FlinkJobIT.commit(client, Map.of(id, committed.get(id)));
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static int count(Map<String, ?> seen) {
        return seen.values().stream()
                .mapToInt(versions -> versions instanceof List<?> list ? list.size() : ((Long) versions).intValue())
                .sum();
    }

    private void await(BooleanSupplier condition, Map<String, List<Long>> seen) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("seen %s of %s", seen, committed).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }
}
