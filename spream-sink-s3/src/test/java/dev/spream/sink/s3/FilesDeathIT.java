package dev.spream.sink.s3;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.Spream;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.servers.JavaCommand;
import dev.spream.sink.files.CommittedFile;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.LocalStore;
import dev.spream.sink.files.ObjectStore;
import dev.spream.sink.files.ObjectStoreException;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker in this process and others in processes of their own write to one folder, or one bucket, while partitions split,
 * merge and move, queries break, the others are stopped for longer than their lease and continued or killed with
 * {@code kill -9}, and the object store breaks off as well. Against what the emulator has committed, each change counts once
 * and each key is in order.
 *
 * <p>{@code -Dfiles.minutes=20} runs for so long; otherwise one worker is stopped, and then killed. {@code -Dfiles.seed=…}
 * repeats the choices.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
final class FilesDeathIT {
    private static final String DATABASE = "projects/spream/instances/test/databases/counters";
    private static final String TABLE = "Progress";
    private static final int MINUTES = Integer.getInteger("files.minutes", 0);
    private static final int DEATHS = 2; // of a short run
    private static final int PROCESSES = MINUTES == 0 ? 1 : 2;
    private static final long SEED = Long.getLong("files.seed", System.nanoTime() % 1_000_000);
    private static final Duration CHURN = Duration.ofMillis(MINUTES == 0 ? 2000 : 700);
    private static final Duration LEASE =
            Duration.ofSeconds(4); // a call of a worker that starts is answered within three of them
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final int ROWS = 40;
    private static final int AHEAD = 300; // transactions that are written and not seen in files yet, at most

    @TempDir
    private Path folder;

    @Tag("proof")
    @Test
    void each_change_counts_once_in_a_folder() throws Exception {
        Path files = Files.createDirectory(folder.resolve("files"));
        try (ObjectStore store = LocalStore.open(files)) {
            run("folder", Map.of("sink", "files", "sink.files.folder", files.toString()), store, () -> false);
        }
    }

    @Test
    void each_change_counts_once_in_a_bucket() throws Exception {
        try (S3Server server = S3Server.start(Files.createDirectory(folder.resolve("s3")));
                ObjectStore store = S3Store.of(S3Server.client(server.endpoint()), S3Server.BUCKET, "counters")) {
            Map<String, String> sink = Map.of(
                    "sink",
                    "s3",
                    "sink.s3.bucket",
                    S3Server.BUCKET,
                    "sink.s3.prefix",
                    "counters",
                    "sink.s3.endpoint",
                    server.endpoint().toString(),
                    "sink.s3.region",
                    "eu-west-1",
                    "sink.s3.access-key-id",
                    S3Server.KEY_ID,
                    "sink.s3.secret-access-key",
                    S3Server.SECRET);
            run("bucket", sink, store, () -> {
                server.restart();
                return true;
            });
        }
    }

    private void run(String name, Map<String, String> sink, ObjectStore store, Callable<Boolean> restartStore)
            throws Exception {
        Random random = new Random(SEED);
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                .seed(SEED)
                .churn(PartitionChurn.every(CHURN).weights(3, 2, 1))
                .faults(FaultRates.share(0.2))
                .start()) {
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Counters (Id INT64 NOT NULL, Version INT64) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM Changes FOR Counters");
            Instant start = Instant.now();
            CommitLog commits = emulator.recordCommits(DATABASE);
            Path config = configure(name, emulator, start, sink);
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    Fleet fleet = new Fleet(config)) {
                SpannerPartitionTables.create(connection, TABLE);
                Seen seen = new Seen(store);
                Workload workload = Workload.start(connection, new Random(SEED), seen);
                fleet.startSurvivor();
                for (int i = 0; i < PROCESSES; i++) {
                    fleet.start();
                }
                long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
                int kills = 0;
                int stops = 0;
                int restarts = 0;
                for (int death = 0; death < DEATHS || System.nanoTime() < end; death++) {
                    Worker worker = fleet.choose(random);
                    awaitMore(seen, fleet);
                    await(
                            () -> {
                                fleet.requireAlive();
                                return owners(connection).stream().anyMatch(owner -> owner.startsWith(worker.name));
                            },
                            () -> worker.name + " has no partition, seed " + SEED);
                    if (death % 2 == 0) {
                        worker.stop(LEASE.multipliedBy(2));
                        stops++;
                    } else {
                        fleet.kill(worker);
                        if (System.nanoTime() < end) {
                            fleet.start();
                        }
                        kills++;
                        restarts += restartStore.call() ? 1 : 0;
                    }
                }
                workload.stop();
                Map<String, Long> versions = versions(commits);
                long changes =
                        rows(commits).map(row -> row.timestamp()).distinct().count(); // each has one at least
                await(
                        () -> {
                            fleet.requireAlive();
                            return seen.changes() >= changes && seen.versions.equals(versions);
                        },
                        () -> "not everything is committed, seed " + SEED);
                fleet.terminate();
                Verdict verdict = judge(store, commits);
                System.out.printf(
                        "%s, seed %d: %d workers killed, %d stopped and continued, the store restarted %d times; %d entries of the log, %d files that count, %d that do not, %d changes of %d committed rows%n",
                        name,
                        SEED,
                        kills,
                        stops,
                        restarts,
                        FilesReader.of(store).entries(0).size(),
                        FilesReader.of(store).files().size(),
                        store.list("data/").size()
                                - FilesReader.of(store).files().size(),
                        verdict.changes,
                        verdict.committed);
                assertThat(verdict.flaws).as("seed %d", SEED).isEmpty();
            }
        }
    }

    private Path configure(String name, SpannerEmulator emulator, Instant start, Map<String, String> sink)
            throws IOException {
        Map<String, String> config = new LinkedHashMap<>(Map.of(
                "source.spanner.database",
                DATABASE,
                "source.spanner.stream",
                "Changes",
                "source.spanner.emulator-host",
                emulator.emulatorHost(),
                "start",
                start.toString(),
                "storage",
                "spanner",
                "storage.spanner.table",
                TABLE,
                "max-inflight",
                "100"));
        config.putAll(Map.of(
                "heartbeat-interval",
                "500ms",
                "watermark-interval",
                "500ms",
                "lease-time",
                LEASE.toSeconds() + "s",
                "partition-discovery-interval",
                "500ms",
                "sink." + sink.get("sink") + ".max-size",
                "16KiB"));
        config.putAll(sink);
        Path file = folder.resolve(name + ".properties");
        Files.write(file, config.entrySet().stream().map(Map.Entry::toString).toList());
        return file;
    }

    private static List<String> owners(SpannerConnection connection) {
        List<String> owners = new ArrayList<>();
        try (ResultSet rows = connection.client().singleUse().read(TABLE, KeySet.all(), List.of("Owner"))) {
            while (rows.next()) {
                if (!rows.isNull(0)) {
                    owners.add(rows.getString(0));
                }
            }
        }
        return owners;
    }

    private static List<DataChangeRecord> changes(FilesReader reader, CommittedFile file) {
        try (GZIPInputStream content = new GZIPInputStream(new ByteArrayInputStream(reader.content(file)))) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(ChangeRecordJson::readDataChange)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<DataChangeRecord> counted(ObjectStore store) {
        FilesReader reader = FilesReader.of(store);
        return reader.files().stream().flatMap(file -> changes(reader, file).stream());
    }

    private static void awaitMore(Seen seen, Fleet fleet) throws Exception {
        long before = seen.changes();
        await(
                () -> {
                    fleet.requireAlive();
                    return seen.changes() >= before + 50;
                },
                () -> "nothing is committed any more, seed " + SEED);
    }

    /** The changes in the files that count, each file read once. Confined to one thread, but for the number of changes. */
    private static final class Seen {
        private final FilesReader reader;
        private final Map<String, Long> versions = new TreeMap<>();
        private volatile long changes;
        private long entry;

        Seen(ObjectStore store) {
            reader = FilesReader.of(store);
        }

        /** Reads what is new, unless the store is being restarted, and returns the number of all changes. */
        long changes() {
            try {
                for (FilesReader.Entry next : reader.entries(entry)) {
                    List<DataChangeRecord> read = next.files().stream()
                            .flatMap(file -> FilesDeathIT.changes(reader, file).stream())
                            .toList();
                    read.stream()
                            .flatMap(change -> change.mods().stream())
                            .forEach(mod -> versions.merge(id(mod), version(mod), Math::max));
                    changes += read.size();
                    entry = next.number();
                }
            } catch (ObjectStoreException e) {
                if (!e.retryable()) {
                    throw e;
                }
            }
            return changes;
        }
    }

    private static Map<String, Long> versions(CommitLog commits) {
        Map<String, Long> versions = new TreeMap<>();
        rows(commits).forEach(row -> versions.put(id(row.row()), version(row.row())));
        return versions;
    }

    private static Stream<CommitLog.CommittedRow> rows(CommitLog commits) {
        return commits.rows().stream().filter(row -> row.table().equals("Counters"));
    }

    private static String id(Map<String, Value> row) {
        return requireNonNull(row.get("Id")).getStringValue();
    }

    private static long version(Map<String, Value> row) {
        return Long.parseLong(requireNonNull(row.get("Version")).getStringValue());
    }

    private static String id(Mod mod) {
        return mod.keys().string("Id").orElseThrow();
    }

    private static long version(Mod mod) {
        return mod.newValues().int64("Version").orElseThrow();
    }

    private record Verdict(List<String> flaws, long changes, long committed) {}

    /** Every committed row is in one change of the files, at its time, and those of a row are in order. */
    private static Verdict judge(ObjectStore store, CommitLog commits) {
        List<String> flaws = new ArrayList<>();
        Set<String> committed = new HashSet<>();
        rows(commits).forEach(row -> committed.add(row.timestamp() + " " + id(row.row()) + " " + version(row.row())));
        long rows = committed.size();
        Map<String, Long> last = new HashMap<>();
        Set<String> seen = new HashSet<>();
        long[] changes = {0};
        counted(store).forEach(change -> {
            changes[0]++;
            if (!seen.add(change.identity().toString())) {
                flaws.add("twice: " + change.identity());
            }
            for (Mod mod : change.mods()) {
                String row = change.commitTimestamp() + " " + id(mod) + " " + version(mod);
                if (!committed.remove(row)) {
                    flaws.add("twice, or never committed: " + row);
                }
                Long before = last.put(id(mod), version(mod));
                if (version(mod) != (before == null ? 1 : before + 1)) {
                    flaws.add("%d of %s after %s".formatted(version(mod), id(mod), before));
                }
            }
        });
        committed.forEach(row -> flaws.add("lost: " + row));
        return new Verdict(flaws, changes[0], rows);
    }

    private static void await(Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain: " + state.call());
            }
            LockSupport.parkNanos(250_000_000);
        }
    }

    /**
     * A thread that raises counters, several in a transaction, until it is stopped. It waits for workers that are slow, so
     * that there is as much to do on a slow machine.
     */
    private static final class Workload {
        private final SpannerConnection connection;
        private final Random random;
        private final Seen seen;
        private final Map<Integer, Long> versions = new HashMap<>();
        private final Thread thread;
        private volatile boolean stopped;

        private Workload(SpannerConnection connection, Random random, Seen seen) {
            this.connection = connection;
            this.random = random;
            this.seen = seen;
            this.thread = new Thread(this::write, "workload");
            thread.setDaemon(true);
        }

        static Workload start(SpannerConnection connection, Random random, Seen seen) {
            Workload workload = new Workload(connection, random, seen);
            workload.thread.start();
            return workload;
        }

        private void write() {
            for (long written = 0; !stopped; ) {
                LockSupport.parkNanos(40_000_000);
                if (written - seen.changes >= AHEAD) {
                    continue;
                }
                List<Mutation> mutations = new ArrayList<>();
                random.ints(0, ROWS)
                        .distinct()
                        .limit(1 + random.nextInt(3))
                        .forEach(row -> mutations.add(Mutation.newInsertOrUpdateBuilder("Counters")
                                .set("Id")
                                .to(row)
                                .set("Version")
                                .to(versions.merge(row, 1L, Long::sum))
                                .build()));
                connection.client().write(mutations);
                written++;
            }
        }

        void stop() throws InterruptedException {
            stopped = true;
            thread.join();
        }
    }

    /** A worker process. */
    private record Worker(String name, Process process) {
        void stop(Duration time) throws Exception {
            signal("STOP");
            long end = System.nanoTime() + time.toNanos();
            while (System.nanoTime() < end) {
                LockSupport.parkNanos(end - System.nanoTime());
            }
            signal("CONT");
        }

        private void signal(String signal) throws Exception {
            Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .inheritIO()
                    .start();
            assertThat(kill.waitFor()).isZero();
        }
    }

    /** A worker in this process, which survives, and those in processes of their own. */
    private static final class Fleet implements AutoCloseable {
        private final Path config;
        private final Spream survivor;
        private final FutureTask<CompletionReason> surviving;
        private final List<Worker> workers = new ArrayList<>();
        private int started;

        Fleet(Path config) throws IOException {
            this.config = config;
            survivor = Spream.create(FilesWorker.config(config, "survivor"));
            surviving = new FutureTask<>(survivor::run);
        }

        void startSurvivor() {
            Thread.ofVirtual().start(surviving);
        }

        void start() throws IOException {
            String name = "w%03d".formatted(++started);
            List<String> command = new ArrayList<>(JavaCommand.of(
                    FilesWorker.class,
                    "-Xmx256m",
                    "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", "")));
            command.addAll(List.of(config.toString(), name));
            Path log = Files.createDirectories(Path.of("target", "workers"))
                    .resolve(config.getFileName() + "-" + name + ".log");
            workers.add(new Worker(
                    name,
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start()));
        }

        Worker choose(Random random) {
            return workers.get(random.nextInt(workers.size()));
        }

        void kill(Worker worker) throws InterruptedException {
            workers.remove(worker);
            worker.process.destroyForcibly().waitFor();
        }

        void requireAlive() throws Exception {
            if (surviving.isDone()) {
                throw new AssertionError("the worker in this process ended by itself: " + surviving.get());
            }
            Optional<Worker> ended =
                    workers.stream().filter(worker -> !worker.process.isAlive()).findFirst();
            if (ended.isPresent()) {
                throw new AssertionError("%s ended by itself with %d, see its log in target/workers"
                        .formatted(ended.get().name, ended.get().process.exitValue()));
            }
        }

        void terminate() throws InterruptedException {
            workers.forEach(worker -> worker.process.toHandle().destroy());
            for (Worker worker : workers) {
                assertThat(worker.process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
            workers.clear();
            survivor.shutdown();
        }

        @Override
        public void close() {
            workers.forEach(worker -> worker.process.destroyForcibly());
            survivor.close();
        }
    }
}
