package dev.spream.benchmarks.partitions;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.ReadAhead;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The time from a commit to the consumer's call, before, during and after splits and merges under steady load, with
 * children read ahead of their parents and without: two subscribers read the same stream at the same time. One change
 * in a hundred takes the consumer 300 ms. Goal with reading ahead: p99 during at most twice that before.
 */
public final class SplitLatency {
    private static final String DATABASE = "projects/benchmark/instances/benchmark/databases/split-latency";
    private static final int TURNS = Integer.getInteger("turns", 20);
    private static final int KEYS = 2_000;
    private static final Duration INTERVAL = Duration.ofMillis(10);
    private static final Duration SLOW = Duration.ofMillis(300);
    private static final Duration PHASE = Duration.ofMillis(300);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private enum Phase {
        WARM_UP,
        BEFORE,
        DURING,
        AFTER
    }

    private record Commit(Phase phase, long at) {}

    private final Map<Long, Commit> commits = new ConcurrentHashMap<>();
    private volatile Phase phase = Phase.WARM_UP;
    private volatile boolean stopped;

    private SplitLatency() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        for (String mode : List.of("IMMUTABLE_KEY_RANGE", "MUTABLE_KEY_RANGE")) {
            try (SpannerEmulator emulator = SpannerEmulator.start()) {
                emulator.createDatabase(
                        DATABASE,
                        DatabaseDialect.GOOGLE_STANDARD_SQL,
                        "CREATE TABLE Orders (Id INT64 NOT NULL, Version INT64) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM Changes FOR ALL OPTIONS (partition_mode = '%s')".formatted(mode));
                try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                        .emulatorHost(emulator.emulatorHost())
                        .open()) {
                    System.out.println(mode);
                    new SplitLatency().measure(emulator.partitions(DATABASE, "Changes"), connection);
                }
            }
        }
    }

    private void measure(PartitionControl partitions, SpannerConnection connection) throws Exception {
        Latencies ahead = new Latencies();
        Latencies plain = new Latencies();
        try (var running = Executors.newCachedThreadPool();
                SpannerChangeStreamSource one = connection.source("Changes").build();
                SpannerChangeStreamSource other = connection.source("Changes").build();
                Subscriber reading = subscriber(one).build();
                Subscriber waiting = ReadAhead.without(subscriber(other)).build()) {
            var runs = List.of(
                    running.submit(() -> reading.run((Consumer) ahead::consume)),
                    running.submit(() -> waiting.run((Consumer) plain::consume)));
            var writing = running.submit(() -> write(connection.client()));
            TimeUnit.SECONDS.sleep(5);
            for (int turn = 0; turn < TURNS; turn++) {
                String parent = partitions.live().getFirst().token();
                List<String> halves = around(() -> partitions.split(parent));
                around(() -> List.of(partitions.merge(halves.get(0), halves.get(1))));
            }
            stopped = true;
            writing.get();
            TimeUnit.SECONDS.sleep(2);
            reading.shutdown(TIMEOUT);
            waiting.shutdown(TIMEOUT);
            for (var run : runs) {
                run.get();
            }
        }
        ahead.print("read ahead");
        plain.print("children after their parents");
    }

    private static Subscriber.Builder subscriber(SpannerChangeStreamSource source) {
        return Subscriber.builder(source, new InMemoryPartitionStorage())
                .options(options -> options.maxInflight(200).watermarkInterval(Duration.ofMillis(200)));
    }

    private interface Change {
        List<String> make();
    }

    /** Changes the partitions between a phase before, one that begins with the change, and one after. */
    private List<String> around(Change change) throws InterruptedException {
        phase = Phase.BEFORE;
        TimeUnit.NANOSECONDS.sleep(PHASE.toNanos());
        phase = Phase.DURING;
        List<String> partitions = change.make();
        TimeUnit.NANOSECONDS.sleep(PHASE.toNanos());
        phase = Phase.AFTER;
        TimeUnit.NANOSECONDS.sleep(2 * PHASE.toNanos());
        return partitions;
    }

    private Void write(DatabaseClient client) throws InterruptedException {
        Random random = new Random(1);
        for (long version = 1; !stopped; version++) {
            Phase now = phase;
            client.write(List.of(Mutation.newInsertOrUpdateBuilder("Orders")
                    .set("Id")
                    .to(random.nextInt(KEYS))
                    .set("Version")
                    .to(version)
                    .build()));
            commits.put(version, new Commit(now, System.nanoTime()));
            TimeUnit.NANOSECONDS.sleep(INTERVAL.toNanos());
        }
        return null;
    }

    /** The latencies of one subscriber. Safe for use by many threads. */
    private final class Latencies {
        private final Map<Phase, List<Long>> nanos = new EnumMap<>(Phase.class);

        void consume(DataChangeRecord change, Object delivery) throws InterruptedException {
            long now = System.nanoTime();
            long version = Long.parseLong(
                    change.mods().getFirst().newValues().string("Version").orElseThrow());
            Commit commit = commits.get(version);
            if (commit != null) { // else it was consumed before the commit returned
                synchronized (nanos) {
                    nanos.computeIfAbsent(commit.phase(), first -> new ArrayList<>())
                            .add(Math.max(0, now - commit.at()));
                }
            }
            if (version % 100 == 0) {
                TimeUnit.NANOSECONDS.sleep(SLOW.toNanos());
            }
        }

        void print(String what) {
            for (Phase each : List.of(Phase.BEFORE, Phase.DURING, Phase.AFTER)) {
                Measurements.printTimes(
                        "  " + what + ", " + each.name().toLowerCase(Locale.ROOT), nanos.getOrDefault(each, List.of()));
            }
        }
    }
}
