package dev.spream.flink;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.consume.Ordering;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.flink.CommitCheck.Version;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Jobs on a cluster of two task managers. The workload counts in each row: the versions of a key are 1, 2, 3, ... The state of
 * the key downstream keeps them with their commit timestamps, and has to have what the emulator's log of commits has.
 */
class FlinkJobIT {
    static final String DATABASE = "projects/demo/instances/demo/databases/orders";
    private static final String STREAM = "CountersStream";
    private static final int KEYS = 12;
    private static final String LOST_KEY = "key-3"; // of the change that the control lacks
    private static final long LOST_VERSION = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** The state of each key after its last change, and what was wrong; by job, since a cluster copies functions. */
    private static final Map<String, Map<String, List<Version>>> SEEN = new ConcurrentHashMap<>();

    private static final Map<String, Queue<String>> WRONG = new ConcurrentHashMap<>();
    private static final Map<String, Long> WATERMARKS = new ConcurrentHashMap<>();
    private static final Map<String, Long> STARTED = new ConcurrentHashMap<>(); // subtasks, by job

    private final String name = UUID.randomUUID().toString();
    private final Map<String, Long> committed = new TreeMap<>();

    @TempDir
    Path directory;

    /** Keys move in a stream with mutable key ranges alone; {@code -Dmatrix=true} adds the other one. */
    static Stream<String> modes() {
        return SpannerServers.areAll()
                ? Stream.of("IMMUTABLE_KEY_RANGE", "MUTABLE_KEY_RANGE")
                : Stream.of("MUTABLE_KEY_RANGE");
    }

    @ParameterizedTest
    @MethodSource("modes")
    void every_commit_is_in_the_state_once_and_in_order_through_churn_faults_a_killed_task_manager_and_a_savepoint(
            String mode) throws Exception {
        DatabaseDialect dialect =
                mode.startsWith("I") ? DatabaseDialect.GOOGLE_STANDARD_SQL : DatabaseDialect.POSTGRESQL;
        try (SpannerEmulator emulator = emulator(
                        mode, dialect, churning().faults(FaultRates.share(0.5).withinRows(3)));
                SpannerConnection connection = connect(emulator);
                JobCluster cluster = JobCluster.start()) {
            CommitLog log = emulator.recordCommits(DATABASE);
            FlinkChangeStreamSource<Tuple3<String, Long, Instant>> source =
                    source(stream(emulator)).startAt(serverTime(emulator)).build();
            JobID first = cluster.submit(job(source, 4, false));
            write(connection.client(), 80, 1);
            awaitSeen(cluster, first, 0.5);
            cluster.replaceTaskManager();
            write(connection.client(), 80, 2);
            awaitSeen(cluster, first, 1);
            assertThat(STARTED.get(name))
                    .as("subtasks of a job that was restarted")
                    .isGreaterThan(4);

            String savepoint = cluster.stopWithSavepoint(first, directory);
            JobID second = cluster.submit(job(source, 3, false), savepoint);
            write(connection.client(), 80, 3);
            awaitSeen(cluster, second, 1);
            awaitWatermark(serverTime(emulator), connection.client());
            awaitChurn(emulator.partitions(DATABASE, STREAM), connection.client());
            writeAllKeys(connection.client());
            awaitSeen(cluster, second, 1);
            for (int i = 0; i < 500 && !last(lossy()).equals(committed); i++) {
                TimeUnit.MILLISECONDS.sleep(20); // the control may be behind
            }
            cluster.cancel(second);
            CommitCheck.assertDelivered(log, requireNonNull(SEEN.get(name)));
            Map<String, List<Version>> butOne = new TreeMap<>(requireNonNull(SEEN.get(name)));
            butOne.computeIfPresent(
                    LOST_KEY,
                    (key, versions) -> versions.stream()
                            .filter(version -> version.number() != LOST_VERSION)
                            .toList());
            assertThat(SEEN.get(lossy())).as("the control").isEqualTo(butOne);
            assertThatThrownBy(() -> CommitCheck.assertDelivered(log, requireNonNull(SEEN.get(lossy()))))
                    .isInstanceOf(AssertionError.class);
            FaultControl.Counts faults = emulator.faults(DATABASE, STREAM).counts();
            assertThat(faults.total()).as("faults of queries: " + faults).isGreaterThan(10);
        }
        assertThat(WRONG.get(name)).isEmpty();
    }

    /** {@link PartitionEnumeratorTest} and {@link PartitionSourceReaderTest} have as little room, without a cluster. */
    @ParameterizedTest
    @MethodSource("modes")
    @Tag("proof")
    void partitions_beyond_the_room_of_all_subtasks_take_turns(String mode) throws Exception {
        try (SpannerEmulator emulator = emulator(mode, DatabaseDialect.GOOGLE_STANDARD_SQL, SpannerEmulator.builder());
                SpannerConnection connection = connect(emulator);
                JobCluster cluster = JobCluster.start()) {
            CommitLog log = emulator.recordCommits(DATABASE);
            PartitionControl partitions = emulator.partitions(DATABASE, STREAM);
            JobID job = cluster.submit(job(
                    source(stream(emulator).maxOpenQueries(1))
                            .startAt(serverTime(emulator))
                            .turn(Duration.ofMillis(500))
                            .build(),
                    3,
                    false));
            for (int round = 1; round <= 4; round++) {
                splitInto(6, partitions);
                write(connection.client(), 20, round);
                awaitSeen(cluster, job, round < 3 ? 0 : 1); // at first parents and children are behind
                partitions.merge(live(partitions, 0), live(partitions, 1));
                partitions.move(live(partitions, 2));
                if (mode.equals("MUTABLE_KEY_RANGE")) {
                    PartitionView from = partitions.live().get(3);
                    partitions.moveRange(from.token(), from.range(), live(partitions, 4));
                }
            }
            writeAllKeys(connection.client());
            awaitSeen(cluster, job, 1);
            cluster.cancel(job);
            CommitCheck.assertDelivered(log, requireNonNull(SEEN.get(name)));
        }
        assertThat(WRONG.get(name)).isEmpty();
    }

    private static String live(PartitionControl partitions, int index) {
        return partitions.live().get(index).token();
    }

    private static void splitInto(int count, PartitionControl partitions) {
        while (partitions.live().size() < count) {
            partitions.live().stream()
                    .filter(partition -> !partition.ranges().isEmpty())
                    .max(Comparator.comparing(partition ->
                            partition.range().to() - partition.range().from()))
                    .ifPresent(widest -> partitions.split(widest.token()));
        }
    }

    /** The control of the orders above: after splits and merges, and after moves of keys. */
    @ParameterizedTest
    @MethodSource("modes")
    @Tag("proof")
    void without_an_order_a_key_is_seen_out_of_order(String mode) throws Exception {
        try (SpannerEmulator emulator = emulator(mode, DatabaseDialect.GOOGLE_STANDARD_SQL, churning());
                SpannerConnection connection = connect(emulator);
                JobCluster cluster = JobCluster.start()) {
            JobID job = cluster.submit(job(
                    source(stream(emulator))
                            .startAt(serverTime(emulator))
                            .ordering(Ordering.NONE)
                            .build(),
                    4,
                    new InOrder(name, false, 25)));
            for (int round = 1; requireNonNull(WRONG.get(name)).isEmpty(); round++) {
                assertThat(round).as("rounds without an inversion").isLessThan(80);
                write(connection.client(), 50, round);
            }
            cluster.cancel(job);
        }
    }

    /** {@code TableJobIT} has a snapshot and an end, too. */
    @Test
    @Tag("proof")
    void a_job_with_an_end_begins_with_a_snapshot_and_finishes() throws Exception {
        AtomicReference<Duration> ahead = new AtomicReference<>(Duration.ZERO);
        try (SpannerEmulator emulator = emulator(
                        "IMMUTABLE_KEY_RANGE",
                        DatabaseDialect.GOOGLE_STANDARD_SQL,
                        churning().clock(() -> Instant.now().plus(ahead.get())));
                SpannerConnection connection = connect(emulator);
                JobCluster cluster = JobCluster.start()) {
            CommitLog log = emulator.recordCommits(DATABASE);
            write(connection.client(), 60, 1);
            Instant end = serverTime(emulator).plus(PATIENCE);
            JobID job = cluster.submit(
                    job(source(stream(emulator)).snapshot().endAt(end).build(), 2, true));
            awaitSeen(cluster, job, 1);
            write(connection.client(), 100, 2);
            ahead.set(PATIENCE);
            commit(connection.client(), Map.of("after the end", 1L));
            assertThat(cluster.awaitEnd(job, PATIENCE)).isEqualTo(JobStatus.FINISHED);
            Instant snapshot = requireNonNull(SEEN.get(name)).values().stream()
                    .map(versions -> versions.getFirst().committed())
                    .min(Comparator.naturalOrder())
                    .orElseThrow();
            CommitCheck.assertDeliveredAfterSnapshot(log, snapshot, end, SEEN.get(name));
        }
        assertThat(seen()).isEqualTo(committed);
        assertThat(WRONG.get(name)).isEmpty();
    }

    /** The churn is one that a reader on a slow machine keeps up with. */
    static SpannerEmulator emulator(String mode, FaultRates faults) {
        return emulator(
                mode,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                churning(Duration.ofSeconds(1)).faults(faults));
    }

    private static SpannerEmulator.Builder churning() {
        return churning(Duration.ofMillis(300));
    }

    private static SpannerEmulator.Builder churning(Duration interval) {
        return SpannerEmulator.builder().seed(7).churn(PartitionChurn.every(interval));
    }

    private static SpannerEmulator emulator(String mode, DatabaseDialect dialect, SpannerEmulator.Builder builder) {
        SpannerEmulator emulator = builder.start();
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

    private static FlinkChangeStreamSource.Builder<Tuple3<String, Long, Instant>> source(SpannerStream stream) {
        return FlinkChangeStreamSource.builder(stream, new Versions()).heartbeatInterval(Duration.ofMillis(200));
    }

    private StreamExecutionEnvironment job(
            FlinkChangeStreamSource<Tuple3<String, Long, Instant>> source, int parallelism, boolean beginsAnywhere) {
        return job(source, parallelism, new InOrder(name, beginsAnywhere, 10));
    }

    private StreamExecutionEnvironment job(
            FlinkChangeStreamSource<Tuple3<String, Long, Instant>> source, int parallelism, InOrder inOrder) {
        StreamExecutionEnvironment env = JobCluster.environment(directory, parallelism);
        DataStream<Tuple3<String, Long, Instant>> versions = env.fromSource(
                        source, WatermarkStrategy.noWatermarks(), "changes")
                .uid("changes");
        collect(versions, inOrder);
        collect(
                versions.filter(version -> version.f1 != LOST_VERSION || !version.f0.equals(LOST_KEY)),
                new InOrder(lossy(), true, 0));
        return env;
    }

    private String lossy() {
        return name + " but one";
    }

    private static void collect(DataStream<Tuple3<String, Long, Instant>> versions, InOrder collected) {
        WRONG.computeIfAbsent(collected.test, key -> new ConcurrentLinkedQueue<>());
        SEEN.computeIfAbsent(collected.test, key -> new ConcurrentHashMap<>());
        versions.keyBy(version -> version.f0)
                .process(collected)
                .uid("in order, each " + collected.millis + " ms")
                .sinkTo(new DiscardingSink<>());
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

    /** Commits a version of each key, after which the state of each key is as the job has it now. */
    private void writeAllKeys(DatabaseClient client) {
        for (int key = 0; key < KEYS; key++) {
            committed.merge("key-" + key, 1L, Long::sum);
        }
        commit(client, committed);
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

    /** Waits until a share of the committed versions is in the state; for all, until the last one of each key is. */
    private void awaitSeen(JobCluster cluster, JobID job, double share) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (share < 1 ? count(seen()) < share * count(committed) : !seen().equals(committed)) {
            cluster.requireRunning(job);
            assertThat(WRONG.get(name)).isEmpty();
            assertThat(System.nanoTime()).as("seen %s of %s", seen(), committed).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** Returns the last version of each key in the state. */
    private Map<String, Long> seen() {
        return last(name);
    }

    private static Map<String, Long> last(String test) {
        Map<String, Long> last = new TreeMap<>();
        requireNonNull(SEEN.get(test))
                .forEach((key, versions) -> last.put(key, versions.getLast().number()));
        return last;
    }

    private static long count(Map<String, Long> last) {
        return last.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The watermark advances although nothing is committed: the next commits see it. */
    private void awaitWatermark(Instant committedUntil, DatabaseClient client) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (int seed = 100; requireNonNull(WATERMARKS.get(name)) < committedUntil.toEpochMilli(); seed++) {
            assertThat(System.nanoTime())
                    .as("the watermark passes %s", committedUntil)
                    .isLessThan(deadline);
            write(client, 1, seed);
            TimeUnit.MILLISECONDS.sleep(30);
        }
    }

    /** Commits until partitions have split, merged and moved often enough: the churn draws their kinds. */
    private void awaitChurn(PartitionControl partitions, DatabaseClient client) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        PartitionControl.Counts churn = partitions.counts();
        for (int seed = 1_000; churn.splits() <= 2 || churn.merges() <= 2 || churn.moves() == 0; seed++) {
            assertThat(System.nanoTime()).as(churn.toString()).isLessThan(deadline);
            write(client, 1, seed);
            TimeUnit.MILLISECONDS.sleep(30);
            churn = partitions.counts();
        }
    }

    /** The key, the version and the commit timestamp of a change. */
    static final class Versions implements ChangeDeserializationSchema<Tuple3<String, Long, Instant>> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(DataChangeRecord change, Collector<Tuple3<String, Long, Instant>> out) {
            for (Mod mod : change.mods()) {
                out.collect(Tuple3.of(
                        mod.keys().string("Id").orElseThrow(),
                        mod.newValues().int64("Version").orElseThrow(),
                        change.commitTimestamp()));
            }
        }

        @Override
        public TypeInformation<Tuple3<String, Long, Instant>> getProducedType() {
            return Types.TUPLE(Types.STRING, Types.LONG, Types.INSTANT);
        }
    }

    /** Requires each version of a key after the one before it, in state that is restored with the job. */
    private static final class InOrder extends KeyedProcessFunction<String, Tuple3<String, Long, Instant>, Long> {
        private static final long serialVersionUID = 1;

        private final String test;
        private final boolean beginsAnywhere;
        private final long millis;
        private transient ListState<Tuple2<Instant, Long>> versions;

        /** @param millis the time for each version, so that changes of a parent are in flight when its child is read */
        InOrder(String test, boolean beginsAnywhere, long millis) {
            this.test = test;
            this.beginsAnywhere = beginsAnywhere;
            this.millis = millis;
        }

        @Override
        public void open(OpenContext context) {
            STARTED.merge(test, 1L, Long::sum);
            versions = getRuntimeContext()
                    .getListState(new ListStateDescriptor<>("versions", Types.TUPLE(Types.INSTANT, Types.LONG)));
        }

        @Override
        public void processElement(Tuple3<String, Long, Instant> version, Context context, Collector<Long> out)
                throws Exception {
            versions.add(Tuple2.of(version.f2, version.f1));
            List<Version> all = new ArrayList<>();
            versions.get().forEach(known -> all.add(new Version(known.f0, known.f1)));
            long before = all.size() > 1 ? all.get(all.size() - 2).number() : beginsAnywhere ? version.f1 - 1 : 0;
            if (version.f1 != before + 1) {
                requireNonNull(WRONG.get(test)).add("%s: %d after %d".formatted(version.f0, version.f1, before));
            }
            long watermark = context.timerService().currentWatermark();
            if (context.timestamp() <= watermark) {
                requireNonNull(WRONG.get(test))
                        .add("%s: %d is late by %d ms"
                                .formatted(version.f0, version.f1, watermark - context.timestamp()));
            }
            WATERMARKS.merge(test, watermark, Math::max);
            TimeUnit.MILLISECONDS.sleep(millis);
            requireNonNull(SEEN.get(test)).put(version.f0, all);
            out.collect(version.f1);
        }
    }
}
