package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.consume.Ordering;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs on a cluster of two task managers. The workload counts in each row: the versions of a key are 1, 2, 3, ..., and the
 * state of the key downstream has to see each of them once, in that order.
 */
class FlinkJobIT {
    static final String DATABASE = "projects/demo/instances/demo/databases/orders";
    private static final String STREAM = "CountersStream";
    private static final int KEYS = 12;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** The last version that the state of each key has seen, and what was wrong; by job, since a cluster copies functions. */
    private static final Map<String, Map<String, Long>> SEEN = new ConcurrentHashMap<>();

    private static final Map<String, Queue<String>> WRONG = new ConcurrentHashMap<>();
    private static final Map<String, Long> WATERMARKS = new ConcurrentHashMap<>();
    private static final Map<String, Long> STARTED = new ConcurrentHashMap<>(); // subtasks, by job

    private final String name = UUID.randomUUID().toString();
    private final Map<String, Long> committed = new TreeMap<>();

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"IMMUTABLE_KEY_RANGE, GOOGLE_STANDARD_SQL", "MUTABLE_KEY_RANGE, POSTGRESQL"})
    void versions_of_a_key_are_seen_once_and_in_order_through_churn_faults_a_killed_task_manager_and_a_savepoint(
            String mode, DatabaseDialect dialect) throws Exception {
        try (SpannerEmulator emulator =
                        emulator(mode, dialect, FaultRates.share(0.5).withinRows(3));
                SpannerConnection connection = connect(emulator);
                JobCluster cluster = JobCluster.start()) {
            Instant start = serverTime(emulator);
            FlinkChangeStreamSource<Tuple2<String, Long>> source =
                    source(emulator).startAt(start).build();
            JobID first = cluster.submit(job(source, 4, false));
            write(connection.client(), 150, 1);
            awaitSeen(cluster, first, 0.5);
            cluster.replaceTaskManager();
            write(connection.client(), 150, 2);
            awaitSeen(cluster, first, 1);
            assertThat(STARTED.get(name))
                    .as("subtasks of a job that was restarted")
                    .isGreaterThan(4);

            String savepoint = cluster.stopWithSavepoint(first, directory);
            JobID second = cluster.submit(job(source, 3, false), savepoint);
            write(connection.client(), 150, 3);
            awaitSeen(cluster, second, 1);
            awaitWatermark(serverTime(emulator), connection.client());
            awaitSeen(cluster, second, 1);
            cluster.cancel(second);
            assertThat(SEEN.get(name)).isEqualTo(rows(connection.client()));
            FaultControl.Counts faults = emulator.faults(DATABASE, STREAM).counts();
            assertThat(faults.byKind().values().stream()
                            .mapToInt(count -> count)
                            .sum())
                    .as("faults of queries: " + faults)
                    .isGreaterThan(10);
            PartitionControl.Counts churn =
                    emulator.partitions(DATABASE, STREAM).counts();
            assertThat(churn.splits()).as(churn.toString()).isGreaterThan(5);
            assertThat(churn.merges()).as(churn.toString()).isGreaterThan(5);
            assertThat(churn.moves()).as(churn.toString()).isGreaterThan(2);
        }
        assertThat(SEEN.get(name)).isEqualTo(committed);
        assertThat(WRONG.get(name)).isEmpty();
    }

    /** The control of the orders above: after splits and merges, and after moves of keys. */
    @ParameterizedTest
    @ValueSource(strings = {"IMMUTABLE_KEY_RANGE", "MUTABLE_KEY_RANGE"})
    void without_an_order_a_key_is_seen_out_of_order(String mode) throws Exception {
        try (SpannerEmulator emulator = emulator(mode, DatabaseDialect.GOOGLE_STANDARD_SQL, FaultRates.none());
                SpannerConnection connection = connect(emulator);
                JobCluster cluster = JobCluster.start()) {
            JobID job = cluster.submit(job(
                    source(emulator)
                            .startAt(serverTime(emulator))
                            .ordering(Ordering.NONE)
                            .build(),
                    4,
                    false));
            for (int round = 1; WRONG.get(name).isEmpty(); round++) {
                assertThat(round).as("rounds without an inversion").isLessThan(20);
                write(connection.client(), 200, round);
            }
            cluster.cancel(job);
        }
    }

    @Test
    void a_job_with_an_end_begins_with_a_snapshot_and_finishes() throws Exception {
        try (SpannerEmulator emulator =
                        emulator("IMMUTABLE_KEY_RANGE", DatabaseDialect.GOOGLE_STANDARD_SQL, FaultRates.none());
                SpannerConnection connection = connect(emulator);
                JobCluster cluster = JobCluster.start()) {
            write(connection.client(), 60, 1);
            Instant end = serverTime(emulator).plusSeconds(15);
            JobID job =
                    cluster.submit(job(source(emulator).snapshot().endAt(end).build(), 2, true));
            writeUntil(end, connection.client());
            assertThat(cluster.awaitEnd(job, PATIENCE)).isEqualTo(JobStatus.FINISHED);
        }
        assertThat(SEEN.get(name)).isEqualTo(committed);
        assertThat(WRONG.get(name)).isEmpty();
    }

    static SpannerEmulator emulator(String mode, FaultRates faults) {
        return emulator(mode, DatabaseDialect.GOOGLE_STANDARD_SQL, faults);
    }

    private static SpannerEmulator emulator(String mode, DatabaseDialect dialect, FaultRates faults) {
        SpannerEmulator emulator = SpannerEmulator.builder()
                .seed(7)
                .churn(PartitionChurn.every(Duration.ofMillis(300)).weights(2, 2, 1))
                .faults(faults)
                .start();
        emulator.createDatabase(DATABASE, dialect, ddl(mode, dialect));
        return emulator;
    }

    private static String[] ddl(String mode, DatabaseDialect dialect) {
        return dialect == DatabaseDialect.POSTGRESQL
                ? new String[] {
                    "CREATE TABLE \"Counters\" (\"Id\" varchar(36) PRIMARY KEY, \"Version\" bigint NOT NULL)",
                    "CREATE CHANGE STREAM \"CountersStream\" FOR \"Counters\" WITH (partition_mode = '%s')"
                            .formatted(mode)
                }
                : new String[] {
                    "CREATE TABLE Counters (Id STRING(36) NOT NULL, Version INT64 NOT NULL) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM CountersStream FOR Counters OPTIONS (partition_mode = '%s')".formatted(mode)
                };
    }

    static SpannerConnection connect(SpannerEmulator emulator) {
        return SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(emulator.emulatorHost())
                .open();
    }

    static SpannerStream stream(SpannerEmulator emulator) {
        return SpannerStream.of(DATABASE, STREAM).emulatorHost(emulator.emulatorHost());
    }

    private static Instant serverTime(SpannerEmulator emulator) {
        try (ChangeStreamSource source = stream(emulator).open()) {
            return source.serverTime();
        }
    }

    private static FlinkChangeStreamSource.Builder<Tuple2<String, Long>> source(SpannerEmulator emulator) {
        return FlinkChangeStreamSource.builder(stream(emulator), new Versions())
                .heartbeatInterval(Duration.ofMillis(200));
    }

    private StreamExecutionEnvironment job(
            FlinkChangeStreamSource<Tuple2<String, Long>> source, int parallelism, boolean beginsAnywhere) {
        WRONG.computeIfAbsent(name, key -> new ConcurrentLinkedQueue<>());
        SEEN.computeIfAbsent(name, key -> new ConcurrentHashMap<>());
        StreamExecutionEnvironment env = JobCluster.environment(directory, parallelism);
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "changes")
                .uid("changes")
                .keyBy(version -> version.f0)
                .process(new InOrder(name, beginsAnywhere))
                .uid("in-order")
                .sinkTo(new DiscardingSink<>());
        return env;
    }

    /** Commits transactions of two rows each. */
    private void write(DatabaseClient client, int transactions, long seed) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < transactions; i++) {
            Map<String, Long> rows = next(random);
            commit(client, rows);
            committed.putAll(rows);
            TimeUnit.MILLISECONDS.sleep(3);
        }
    }

    /** Commits until a commit is later than that time; what is later does not count. */
    private void writeUntil(Instant end, DatabaseClient client) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(2);
        Map<String, Long> rows = next(random);
        while (!commit(client, rows).isAfter(end)) {
            committed.putAll(rows);
            rows = next(random);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private Map<String, Long> next(SplittableRandom random) {
        Map<String, Long> rows = new TreeMap<>();
        for (int row = 0; row < 2; row++) {
            String id = "key-" + random.nextInt(KEYS);
            rows.put(id, committed.getOrDefault(id, 0L) + 1);
        }
        return rows;
    }

    static Instant commit(DatabaseClient client, Map<String, Long> rows) {
        return client.write(rows.entrySet().stream()
                        .map(row -> Mutation.newInsertOrUpdateBuilder("Counters")
                                .set("Id")
                                .to(row.getKey())
                                .set("Version")
                                .to(row.getValue())
                                .build())
                        .toList())
                .toSqlTimestamp()
                .toInstant();
    }

    /** Returns the versions as the emulator's table has them: what was committed, apart from the stream. */
    private static Map<String, Long> rows(DatabaseClient client) {
        Map<String, Long> rows = new TreeMap<>();
        try (ResultSet read = client.singleUse().read("Counters", KeySet.all(), List.of("Id", "Version"))) {
            while (read.next()) {
                rows.put(read.getString(0), read.getLong(1));
            }
        }
        return rows;
    }

    private void awaitSeen(JobCluster cluster, JobID job, double share) throws Exception {
        Map<String, Long> seen = SEEN.get(name);
        long all = committed.values().stream().mapToLong(Long::longValue).sum();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (seen.values().stream().mapToLong(Long::longValue).sum() < share * all) {
            cluster.requireRunning(job);
            assertThat(WRONG.get(name)).isEmpty();
            assertThat(System.nanoTime()).as("seen %s of %s", seen, committed).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** The watermark advances although nothing is committed: the next commits see it. */
    private void awaitWatermark(Instant committedUntil, DatabaseClient client) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int seed = 100; WATERMARKS.get(name) < committedUntil.toEpochMilli(); seed++) {
            assertThat(System.nanoTime())
                    .as("the watermark passes %s", committedUntil)
                    .isLessThan(deadline);
            write(client, 1, seed);
        }
    }

    /** The key and the version of a change. */
    static final class Versions implements ChangeDeserializationSchema<Tuple2<String, Long>> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(DataChangeRecord change, Collector<Tuple2<String, Long>> out) {
            for (Mod mod : change.mods()) {
                out.collect(Tuple2.of(
                        mod.keys().string("Id").orElseThrow(),
                        mod.newValues().int64("Version").orElseThrow()));
            }
        }

        @Override
        public TypeInformation<Tuple2<String, Long>> getProducedType() {
            return TypeInformation.of(new TypeHint<>() {});
        }
    }

    /** Requires each version of a key after the one before it, in state that is restored with the job. */
    private static final class InOrder extends KeyedProcessFunction<String, Tuple2<String, Long>, Long> {
        private static final long serialVersionUID = 1;

        private final String test;
        private final boolean beginsAnywhere;
        private transient ValueState<Long> last;

        InOrder(String test, boolean beginsAnywhere) {
            this.test = test;
            this.beginsAnywhere = beginsAnywhere;
        }

        @Override
        public void open(OpenContext context) {
            STARTED.merge(test, 1L, Long::sum);
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.LONG));
        }

        @Override
        public void processElement(Tuple2<String, Long> version, Context context, Collector<Long> out)
                throws Exception {
            Long before = last.value();
            long expected = before == null ? beginsAnywhere ? version.f1 : 1 : before + 1;
            if (version.f1 != expected) {
                WRONG.get(test).add("%s: %d after %d".formatted(version.f0, version.f1, before));
            }
            long watermark = context.timerService().currentWatermark();
            if (context.timestamp() <= watermark) {
                WRONG.get(test)
                        .add("%s: %d is late by %d ms"
                                .formatted(version.f0, version.f1, watermark - context.timestamp()));
            }
            WATERMARKS.merge(test, watermark, Math::max);
            TimeUnit.MILLISECONDS.sleep(10); // so that changes of a parent are in flight when its child is read
            last.update(version.f1);
            SEEN.get(test).put(version.f0, version.f1);
            out.collect(version.f1);
        }
    }
}
