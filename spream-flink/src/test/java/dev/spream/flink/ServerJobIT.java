package dev.spream.flink;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.Statement;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.servers.RecordingSource;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.Serial;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A job over a stream of Google's emulator, whose partitions live for a second, or of ours where it is not found. A task
 * manager is killed, and a savepoint restored at another parallelism: the state of each account has each deposit once.
 *
 * <p>Each row is written once, since Google's emulator moves the changes of a key between unrelated partitions. To a live
 * query it does not return a change that was committed in the very microsecond in which one of its reads ended: such a run
 * is repeated.
 */
@Tag("proof")
class ServerJobIT {
    private static final int ATTEMPTS = 3;
    private static final int DEPOSITS = 40; // written at a time
    private static final int ACCOUNTS = 7;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** The runs by name, static since a cluster copies functions. */
    private static final Map<String, Run> RUNS = new ConcurrentHashMap<>();

    @TempDir
    Path directory;

    static Stream<Arguments> serversAndDialects() {
        List<Dialect> dialects =
                SpannerServers.areAll() ? List.of(Dialect.values()) : List.of(Dialect.GOOGLE_STANDARD_SQL);
        return servers().flatMap(server -> dialects.stream().map(dialect -> Arguments.of(server, dialect)));
    }

    private static Stream<SpannerServer> servers() {
        return SpannerServers.areAll()
                ? SpannerServers.found()
                : Stream.of(SpannerServers.google().orElseGet(SpannerServers::ours));
    }

    @ParameterizedTest(name = "{1} on {0}")
    @MethodSource("serversAndDialects")
    void each_deposit_is_in_the_state_once_although_a_task_manager_is_killed_and_a_savepoint_restored(
            SpannerServer server, Dialect dialect) throws Exception {
        Set<String> leftOut = run(server, dialect);
        for (int attempt = 1; !leftOut.isEmpty(); attempt++) {
            System.out.printf("%s did not return, to live queries: %s%n", server, leftOut);
            assertThat(server).isNotEqualTo(SpannerServers.ours());
            assertThat(attempt).as("attempts").isLessThan(ATTEMPTS);
            leftOut = run(server, dialect);
        }
    }

    /** Writes, judges the state, and returns the deposits that the server did not return. */
    private Set<String> run(SpannerServer server, Dialect dialect) throws Exception {
        DatabaseId database = server.createDatabase(dialect, ddl(dialect));
        String name = UUID.randomUUID().toString();
        Run run = new Run();
        RUNS.put(name, run);
        try (Spanner spanner = server.client();
                JobCluster cluster = JobCluster.start()) {
            DatabaseClient client = spanner.getDatabaseClient(database);
            FlinkChangeStreamSource<Tuple3<String, String, Long>> source = FlinkChangeStreamSource.builder(
                            new Recorded(
                                    name,
                                    SpannerStream.of(database.getName(), "DepositsStream")
                                            .emulatorHost(server.emulatorHost())),
                            new Deposits())
                    .heartbeatInterval(Duration.ofMillis(200))
                    .startAt(serverTime(client))
                    .build();
            JobID first = cluster.submit(job(name, source, 4));
            write(run, client, "first");
            await(() -> run.seen.size() > DEPOSITS / 2, run, cluster, first);
            cluster.replaceTaskManager();
            awaitWatermark(write(run, client, "second"), run, cluster, first);
            String savepoint = cluster.stopWithSavepoint(first, directory);
            JobID second = cluster.submit(job(name, source, 3), savepoint);
            awaitWatermark(write(run, client, "third"), run, cluster, second);
            cluster.cancel(second);

            Set<String> leftOut = run.leftOut();
            if (leftOut.isEmpty()) {
                assertThat(run.sums).isEqualTo(sums(client));
                assertThat(run.wrong).isEmpty();
                System.out.printf("deposits on %s, %s: %d partitions%n", server, dialect, run.partitions());
                assertThat(run.partitions())
                        .as("partitions that split and merged")
                        .isGreaterThan(3);
            }
            return leftOut;
        } finally {
            RUNS.remove(name);
        }
    }

    private static List<String> ddl(Dialect dialect) {
        return dialect == Dialect.POSTGRESQL
                ? List.of(
                        "CREATE TABLE \"Deposits\" (\"Id\" varchar(36) PRIMARY KEY, \"Account\" varchar(36), \"Amount\" bigint)",
                        "CREATE CHANGE STREAM \"DepositsStream\" FOR \"Deposits\"")
                : List.of(
                        "CREATE TABLE Deposits (Id STRING(36), Account STRING(36), Amount INT64) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM DepositsStream FOR Deposits");
    }

    private static Instant serverTime(DatabaseClient client) {
        try (ResultSet rows = client.singleUse().executeQuery(Statement.of("SELECT CURRENT_TIMESTAMP"))) {
            rows.next();
            return rows.getTimestamp(0).toSqlTimestamp().toInstant();
        }
    }

    private StreamExecutionEnvironment job(
            String name, FlinkChangeStreamSource<Tuple3<String, String, Long>> source, int parallelism) {
        StreamExecutionEnvironment environment = JobCluster.environment(directory, parallelism);
        environment
                .fromSource(source, WatermarkStrategy.noWatermarks(), "deposits")
                .uid("deposits")
                .keyBy(deposit -> deposit.f1)
                .process(new Balance(name))
                .uid("balances")
                .sinkTo(new Judge(name))
                .setParallelism(1); // so that its watermark is that of all
        return environment;
    }

    /** Commits deposits of a row each; returns the time of the last one. */
    private static Instant write(Run run, DatabaseClient client, String round) throws InterruptedException {
        Instant last = Instant.MIN;
        for (int i = 0; i < DEPOSITS; i++) {
            String id = round + "-" + i;
            last = client.write(List.of(Mutation.newInsertBuilder("Deposits")
                            .set("Id")
                            .to(id)
                            .set("Account")
                            .to("account-" + i % ACCOUNTS)
                            .set("Amount")
                            .to(1L + i)
                            .build()))
                    .toSqlTimestamp()
                    .toInstant();
            run.written.add(id);
            TimeUnit.MILLISECONDS.sleep(25);
        }
        return last;
    }

    private static Map<String, Long> sums(DatabaseClient client) {
        String query = client.getDialect() == Dialect.POSTGRESQL
                ? "SELECT \"Account\", CAST(SUM(\"Amount\") AS bigint) FROM \"Deposits\" GROUP BY \"Account\""
                : "SELECT Account, SUM(Amount) FROM Deposits GROUP BY Account";
        Map<String, Long> sums = new TreeMap<>();
        try (ResultSet rows = client.singleUse().executeQuery(Statement.of(query))) {
            while (rows.next()) {
                sums.put(rows.getString(0), rows.getLong(1));
            }
        }
        return sums;
    }

    /** Waits until the watermark has passed that time, and with it everything that was committed until then. */
    private static void awaitWatermark(Instant time, Run run, JobCluster cluster, JobID job) throws Exception {
        await(() -> run.watermark > time.toEpochMilli(), run, cluster, job);
    }

    private static void await(BooleanSupplier condition, Run run, JobCluster cluster, JobID job) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            cluster.requireRunning(job);
            assertThat(System.nanoTime())
                    .as("%d of %d seen, watermark %d", run.seen.size(), run.written.size(), run.watermark)
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** The written deposits, and those that the jobs of a run have read and seen. */
    private static final class Run {
        private final Set<String> written = new HashSet<>();
        private final Queue<RecordingSource> sources = new ConcurrentLinkedQueue<>();
        private final Set<String> seen = ConcurrentHashMap.newKeySet();
        private final Map<String, Long> sums = new ConcurrentHashMap<>();
        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
        private volatile long watermark = Long.MIN_VALUE;

        /** Returns the deposits that were not seen because the server did not return them. */
        Set<String> leftOut() {
            Set<String> missing = new HashSet<>(written);
            missing.removeAll(seen);
            Set<String> returned = new HashSet<>();
            for (RecordingSource source : sources) {
                source.returned()
                        .forEach(change -> change.mods()
                                .forEach(mod ->
                                        returned.add(mod.keys().string("Id").orElseThrow())));
            }
            assertThat(missing).as("deposits that were read and not emitted").doesNotContainAnyElementsOf(returned);
            return missing;
        }

        long partitions() {
            return sources.stream()
                    .flatMap(source -> source.queried().stream())
                    .distinct()
                    .count();
        }
    }

    /** The stream, whose sources record what they return. */
    private record Recorded(String run, SpannerStream stream) implements ChangeStreamSourceFactory {
        @Override
        public ChangeStreamSource open() {
            RecordingSource source = new RecordingSource(stream.open());
            requireNonNull(RUNS.get(run)).sources.add(source);
            return source;
        }
    }

    /** The id, the account and the amount of a deposit. */
    private static final class Deposits implements ChangeDeserializationSchema<Tuple3<String, String, Long>> {
        @Serial
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(DataChangeRecord change, Collector<Tuple3<String, String, Long>> out) {
            for (Mod mod : change.mods()) {
                out.collect(Tuple3.of(
                        mod.keys().string("Id").orElseThrow(),
                        mod.newValues().string("Account").orElseThrow(),
                        mod.newValues().int64("Amount").orElseThrow()));
            }
        }

        @Override
        public TypeInformation<Tuple3<String, String, Long>> getProducedType() {
            return Types.TUPLE(Types.STRING, Types.STRING, Types.LONG);
        }
    }

    /** Emits, for each deposit, the sum of the account by then; the state knows the deposits that are in the sum. */
    private static final class Balance
            extends KeyedProcessFunction<String, Tuple3<String, String, Long>, Tuple3<String, String, Long>> {
        @Serial
        private static final long serialVersionUID = 1;

        private final String run;
        private transient ValueState<Long> sum;
        private transient MapState<String, Long> deposits;

        Balance(String run) {
            this.run = run;
        }

        @Override
        public void open(OpenContext context) {
            sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Types.LONG));
            deposits = getRuntimeContext().getMapState(new MapStateDescriptor<>("deposits", Types.STRING, Types.LONG));
        }

        @Override
        public void processElement(
                Tuple3<String, String, Long> deposit, Context context, Collector<Tuple3<String, String, Long>> out)
                throws Exception {
            if (deposits.contains(deposit.f0)) {
                requireNonNull(RUNS.get(run)).wrong.add(deposit.f0 + " is in the state already");
            }
            deposits.put(deposit.f0, deposit.f2);
            Long before = sum.value();
            sum.update((before == null ? 0 : before) + deposit.f2);
            out.collect(Tuple3.of(deposit.f0, deposit.f1, sum.value()));
        }
    }

    /** Notes the sums, and the watermark behind which all of them are there. */
    private record Judge(String run) implements Sink<Tuple3<String, String, Long>> {
        @Override
        public SinkWriter<Tuple3<String, String, Long>> createWriter(WriterInitContext context) {
            Run judged = requireNonNull(RUNS.get(run));
            return new SinkWriter<>() {
                @Override
                public void write(Tuple3<String, String, Long> sum, Context write) {
                    judged.seen.add(sum.f0);
                    judged.sums.put(sum.f1, sum.f2);
                }

                @Override
                public void writeWatermark(Watermark watermark) {
                    judged.watermark = watermark.getTimestamp();
                }

                @Override
                public void flush(boolean endOfInput) {}

                @Override
                public void close() {}
            };
        }
    }
}
