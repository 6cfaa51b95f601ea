package dev.spream.benchmarks.partitions;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.core.DurationText;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The delay of a child: from the end of its last parent's stream, as the client returned it, to its own first query. In
 * between, the parent's children and end are stored and the child is claimed, in memory. Partitions of an emulator in
 * the same process split and merge in turns. Goal: below 10 ms.
 */
public final class HandOver {
    private static final String DATABASE = "projects/benchmark/instances/benchmark/databases/hand-over";
    private static final int WARM_UPS = Integer.getInteger("warmUps", 100);
    private static final int TURNS = Integer.getInteger("turns", 500);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private HandOver() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Accounts (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM Changes FOR ALL");
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                    .emulatorHost(emulator.emulatorHost())
                    .open()) {
                measure(emulator.partitions(DATABASE, "Changes"), connection);
            }
        }
    }

    private static void measure(PartitionControl partitions, SpannerConnection connection)
            throws InterruptedException, ExecutionException {
        Times times = new Times();
        try (var running = Executors.newSingleThreadExecutor();
                SpannerChangeStreamSource source = connection.source("Changes").build();
                Subscriber subscriber = Subscriber.builder(
                                new ObservedSource(source, times), new InMemoryPartitionStorage())
                        .build()) {
            var run = running.submit(() -> subscriber.run(change -> {}));
            for (PartitionView partition : partitions.live()) {
                times.awaitQuery(partition.token());
            }
            for (int turn = -WARM_UPS; turn < TURNS; turn++) {
                splitAndMerge(partitions, times, turn >= 0);
            }
            subscriber.shutdown(TIMEOUT);
            run.get();
        }
        print("split: one parent, two children", times.afterSplit);
        print("merge: two parents, one child", times.afterMerge);
    }

    private static void splitAndMerge(PartitionControl partitions, Times times, boolean counts)
            throws InterruptedException {
        String parent = partitions.live().getFirst().token();
        List<String> halves = partitions.split(parent);
        for (String half : halves) {
            times.awaitQuery(half);
        }
        String merged = partitions.merge(halves.get(0), halves.get(1));
        times.awaitQuery(merged);
        if (counts) {
            for (String half : halves) {
                times.afterSplit.add(times.queriedAt(half) - times.endedAt(parent));
            }
            long lastEnd = Math.max(times.endedAt(halves.get(0)), times.endedAt(halves.get(1)));
            times.afterMerge.add(times.queriedAt(merged) - lastEnd);
        }
    }

    private static void print(String what, List<Long> nanos) {
        System.out.printf("%-34s %,6d times: %s%n", what, nanos.size(), Measurements.times(nanos, 3));
    }

    /** The times of the first queries of partitions and of the ends of their streams. Safe for use by many threads. */
    private static final class Times implements ObservedSource.Observer {
        private final Map<String, Long> queried = new ConcurrentHashMap<>();
        private final Map<String, Long> ended = new ConcurrentHashMap<>();
        private final Map<String, CountDownLatch> queries = new ConcurrentHashMap<>();
        private final List<Long> afterSplit = new ArrayList<>(); // confined to the main thread, as is the next field
        private final List<Long> afterMerge = new ArrayList<>();

        @Override
        public void queried(PartitionToken partition) {
            queried.putIfAbsent(partition.value(), System.nanoTime());
            query(partition.value()).countDown();
        }

        @Override
        public void ended(PartitionToken partition) {
            ended.put(partition.value(), System.nanoTime());
        }

        private CountDownLatch query(String token) {
            return queries.computeIfAbsent(token, first -> new CountDownLatch(1));
        }

        void awaitQuery(String token) throws InterruptedException {
            if (!query(token).await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "partition " + token + " was not queried within " + DurationText.of(TIMEOUT));
            }
        }

        long queriedAt(String token) {
            return recorded(queried, token);
        }

        long endedAt(String token) {
            return recorded(ended, token);
        }

        private static long recorded(Map<String, Long> times, String token) {
            Long time = times.get(token);
            if (time == null) {
                throw new IllegalStateException("nothing was seen of partition " + token);
            }
            return time;
        }
    }
}
