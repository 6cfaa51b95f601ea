package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.kafka.KafkaBroker;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A worker in this process and one in a process that is killed, over a change stream whose partitions split, merge and move,
 * to a broker that is killed: what the emulator committed is on the topic, the history of each row in order. Both are killed
 * once, or in turns for at least as many seconds as {@code -Dkafka.faults.seconds} says.
 */
final class FaultsIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/demo";
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("kafka.faults.seconds", 0));
    private static final Duration PATIENCE =
            Duration.ofMinutes(5); // a worker starts in it, on a machine with other work
    private static final int ROWS = 40;
    private static final int AHEAD = 300; // changes that are committed and not known to be published yet, at most
    private static final int PARTITIONS = 6;

    @TempDir
    private Path folder;

    private volatile long published;

    @Test
    void nothing_is_lost_and_every_row_is_in_order_whatever_is_killed() throws Exception {
        run("killed", Map.of());
    }

    @Tag("proof")
    @Test
    void transactions_lose_nothing_and_keep_the_order_too() throws Exception {
        run(
                "transactional",
                Map.of("sink.kafka.transactional-id", "one of each worker", "sink.kafka.transactions", "2"));
    }

    private void run(String name, Map<String, String> more) throws Exception {
        String topic = name + "-" + UUID.randomUUID();
        KafkaBroker broker = TestBroker.broker();
        try (SpannerEmulator spanner = SpannerEmulator.builder()
                .churn(PartitionChurn.every(Duration.ofMillis(LENGTH.isZero() ? 2000 : 300)))
                .start()) {
            spanner.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Accounts (Id INT64 NOT NULL, Version INT64) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM Changes FOR Accounts");
            CommitLog commits = spanner.recordCommits(DATABASE);
            Topics topics = new Topics(broker.address());
            topics.create(topic, PARTITIONS);
            Map<String, String> settings = new HashMap<>(settings(spanner, broker, topic));
            settings.putAll(more);
            CountDownLatch enough = new CountDownLatch(1);
            try (SpannerConnection connection = connect(spanner);
                    Workers workers = Workers.start(folder, settings)) {
                FutureTask<Integer> writing = new FutureTask<>(() -> write(connection, enough));
                Thread.ofVirtual().start(writing);
                breakThings(connection, broker, workers, topics, topic);
                enough.countDown();
                int transactions = writing.get();
                Map<String, List<String>> expected = committed(commits);
                List<ConsumerRecord<byte[], byte[]>> arrived = awaitAll(topics, topic, expected, workers);
                PublishedOrder.check(expected, arrived, "commit_timestamp");
                long changes = expected.values().stream().mapToInt(List::size).sum();
                System.out.printf(
                        "%s: %d transactions, %d changes committed, %d messages on the topic%n",
                        topic, transactions, changes, arrived.size());
            } finally {
                enough.countDown();
            }
        }
    }

    /** Returns a connection, with the table of partitions. */
    private static SpannerConnection connect(SpannerEmulator spanner) {
        SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(spanner.emulatorHost())
                .open();
        SpannerPartitionTables.create(connection, "Partitions");
        return connection;
    }

    private static Map<String, String> settings(SpannerEmulator spanner, KafkaBroker broker, String topic) {
        return Map.ofEntries(
                Map.entry("source", "spanner"),
                Map.entry("source.spanner.database", DATABASE),
                Map.entry("source.spanner.stream", "Changes"),
                Map.entry("source.spanner.emulator-host", spanner.emulatorHost()),
                Map.entry("storage", "spanner"),
                Map.entry("storage.spanner.table", "Partitions"),
                Map.entry("sink", "kafka"),
                Map.entry("sink.kafka.bootstrap-servers", broker.address()),
                Map.entry("sink.kafka.topic", topic),
                Map.entry("sink.kafka.publish-timeout", "10s"),
                Map.entry("max-inflight", "50"),
                Map.entry("lease-time", "10s"),
                Map.entry("heartbeat-interval", "200ms"),
                Map.entry("watermark-interval", "200ms"),
                Map.entry("partition-discovery-interval", "200ms"),
                Map.entry("retry.max-attempts", "unlimited"),
                Map.entry("retry.max-delay", "500ms"),
                Map.entry("start", Instant.now().toString()));
    }

    /**
     * Transactions of one row to three, each with the next version of its rows; their number. It waits for workers that are
     * slow, so that there is as much to do on a slow machine.
     */
    private int write(SpannerConnection connection, CountDownLatch enough) throws Exception {
        Random random = new Random(11);
        Map<Integer, Long> versions = new HashMap<>();
        int transactions = 0;
        long changes = 0;
        while (!enough.await(random.nextInt(100), TimeUnit.MILLISECONDS)) {
            if (changes - published >= AHEAD) {
                continue;
            }
            List<Mutation> mutations = new ArrayList<>();
            random.ints(0, ROWS)
                    .distinct()
                    .limit(1 + random.nextInt(3))
                    .forEach(row -> mutations.add(Mutation.newInsertOrUpdateBuilder("Accounts")
                            .set("Id")
                            .to(row)
                            .set("Version")
                            .to(versions.merge(row, 1L, Long::sum))
                            .build()));
            connection.client().write(mutations);
            transactions++;
            changes += mutations.size();
        }
        return transactions;
    }

    /** In turns the broker with the worker, the worker, and the broker, each in the middle of publishing. */
    private void breakThings(
            SpannerConnection connection, KafkaBroker broker, Workers workers, Topics topics, String topic)
            throws Exception {
        Random random = new Random(5);
        long end = System.nanoTime() + LENGTH.toNanos();
        for (int turn = 0; turn < 1 || System.nanoTime() < end; turn++) {
            workers.startKilled();
            awaitMore(topics, topic, workers);
            awaitPartition(connection, workers, topics, topic);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
            if (turn % 3 != 1) {
                broker.kill();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
            }
            if (turn % 3 != 2) {
                workers.kill();
            }
            if (turn % 3 != 1) {
                broker.start();
            }
        }
    }

    /** Waits until the worker that is killed has a partition. */
    private void awaitPartition(SpannerConnection connection, Workers workers, Topics topics, String topic)
            throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!hasPartition(connection)) {
            workers.requireAlive();
            assertThat(System.nanoTime())
                    .as("the worker that is killed has no partition")
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(500);
            published = topics.count(topic);
        }
    }

    private static boolean hasPartition(SpannerConnection connection) {
        try (ResultSet rows = connection.client().singleUse().read("Partitions", KeySet.all(), List.of("Owner"))) {
            while (rows.next()) {
                if (!rows.isNull(0) && rows.getString(0).startsWith("killed")) {
                    return true;
                }
            }
        }
        return false;
    }

    private void awaitMore(Topics topics, String topic, Workers workers) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long before = published;
        while (published <= before) {
            workers.requireAlive();
            assertThat(System.nanoTime())
                    .as("%d messages are published, no more than before", published)
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(500);
            published = topics.count(topic);
        }
    }

    private static Map<String, List<String>> committed(CommitLog commits) {
        Map<String, List<String>> expected = new LinkedHashMap<>();
        for (CommitLog.CommittedRow row : commits.rows()) {
            if (row.table().equals("Accounts")) {
                expected.computeIfAbsent(
                                "{\"Id\":\"%s\"}"
                                        .formatted(requireNonNull(row.row().get("Id"))
                                                .getStringValue()),
                                key -> new ArrayList<>())
                        .add(row.timestamp().toString());
            }
        }
        return expected;
    }

    /** Returns the messages when the last change of each row is among them; waits as long as any arrive. */
    private List<ConsumerRecord<byte[], byte[]>> awaitAll(
            Topics topics, String topic, Map<String, List<String>> expected, Workers workers) throws Exception {
        long changes = expected.values().stream().mapToInt(List::size).sum();
        while (published < changes) { // each change once at least
            awaitMore(topics, topic, workers);
        }
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            List<ConsumerRecord<byte[], byte[]>> arrived = topics.read(topic);
            if (arrived.size() > published) {
                published = arrived.size();
                deadline = System.nanoTime() + PATIENCE.toNanos();
            }
            Map<String, String> last = new HashMap<>();
            arrived.forEach(message -> last.merge(
                    new String(message.key(), UTF_8),
                    Topics.header(message, "commit_timestamp"),
                    (one, other) -> one.compareTo(other) > 0 ? one : other));
            if (expected.entrySet().stream()
                    .allMatch(row -> row.getValue().getLast().equals(last.get(row.getKey())))) {
                workers.close(); // nothing is added afterwards
                return topics.read(topic);
            }
            workers.requireAlive();
            assertThat(System.nanoTime())
                    .as("messages of %d rows have arrived, not the last of each of %d", last.size(), expected.size())
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }

    /** The worker in this process, and the one that is killed. */
    private static final class Workers implements AutoCloseable {
        private final Path folder;
        private final Map<String, String> settings;
        private final Spream survivor;
        private final FutureTask<CompletionReason> surviving;
        private @Nullable WorkerProcess killed;

        private Workers(Path folder, Map<String, String> settings) {
            this.folder = folder;
            this.settings = settings;
            survivor = Spream.create(SpreamConfig.of(of("survivor")));
            surviving = new FutureTask<>(survivor::run);
        }

        /** Starts the one in this process. */
        static Workers start(Path folder, Map<String, String> settings) {
            Workers workers = new Workers(folder, settings);
            Thread.ofVirtual().start(workers.surviving);
            return workers;
        }

        private Map<String, String> of(String worker) {
            Map<String, String> own = new HashMap<>(settings);
            own.put("worker", worker);
            own.computeIfPresent("sink.kafka.transactional-id", (key, value) -> worker);
            return own;
        }

        /** Starts the one that is killed, unless it runs. */
        void startKilled() throws Exception {
            if (killed == null) {
                List<String> lines = of("killed").entrySet().stream()
                        .map(Map.Entry::toString)
                        .toList();
                Path config = Files.write(folder.resolve("killed.properties"), lines);
                killed = WorkerProcess.start(config, folder.resolve("killed.log"));
            }
        }

        void kill() {
            if (killed != null) {
                killed.kill();
                killed = null;
            }
        }

        void requireAlive() throws Exception {
            assertThat(surviving.isDone()).as("%s", surviving).isFalse();
            if (killed != null) {
                assertThat(killed.isAlive())
                        .as("%s", Files.readString(folder.resolve("killed.log")))
                        .isTrue();
            }
        }

        @Override
        public void close() {
            kill();
            survivor.close();
        }
    }
}
