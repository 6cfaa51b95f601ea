package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.kafka.KafkaBroker;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Workers in processes that are killed, over a change stream whose partitions split, merge and move, to a broker that is
 * killed: what the emulator committed is on the topic, the history of each row in order. It takes two turns, or at least
 * as many seconds as {@code -Dkafka.faults.seconds} says.
 */
final class FaultsIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/demo";
    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("kafka.faults.seconds", 0));
    private static final Duration PATIENCE =
            Duration.ofMinutes(5); // two workers start in it, on a machine with other work
    private static final int ROWS = 40;
    private static final int AHEAD = 600; // changes that are committed and not known to be published yet, at most
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
        run("transactional", Map.of("sink.kafka.transactional-id", "worker-%s", "sink.kafka.transactions", "2"));
    }

    private void run(String topic, Map<String, String> more) throws Exception {
        try (SpannerEmulator spanner = SpannerEmulator.builder()
                        .churn(PartitionChurn.every(Duration.ofMillis(LENGTH.isZero() ? 2000 : 300)))
                        .start();
                KafkaBroker broker = KafkaBroker.start(Files.createDirectory(folder.resolve("broker")))) {
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
            Workers workers = new Workers(folder, settings);
            CountDownLatch enough = new CountDownLatch(1);
            FutureTask<Integer> writing = new FutureTask<>(() -> write(spanner, enough));
            try {
                workers.start("a");
                workers.start("b");
                Thread.ofVirtual().start(writing);
                breakThings(broker, workers, topics, topic);
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
                workers.close();
            }
        }
    }

    private static Map<String, String> settings(SpannerEmulator spanner, KafkaBroker broker, String topic) {
        return Map.ofEntries(
                Map.entry("source", "spanner"),
                Map.entry("source.spanner.database", DATABASE),
                Map.entry("source.spanner.stream", "Changes"),
                Map.entry("source.spanner.emulator-host", spanner.emulatorHost()),
                Map.entry("storage", "spanner"),
                Map.entry("storage.spanner.table", "Partitions"),
                Map.entry("storage.spanner.create-table", "true"),
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
    private int write(SpannerEmulator spanner, CountDownLatch enough) throws Exception {
        Random random = new Random(11);
        Map<Integer, Long> versions = new HashMap<>();
        int transactions = 0;
        long changes = 0;
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(spanner.emulatorHost())
                .open()) {
            while (!enough.await(random.nextInt(30), TimeUnit.MILLISECONDS)) {
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
        }
        return transactions;
    }

    /** In turns the broker with a worker, a worker, and the broker, each in the middle of publishing. */
    private void breakThings(KafkaBroker broker, Workers workers, Topics topics, String topic) throws Exception {
        Random random = new Random(5);
        long end = System.nanoTime() + LENGTH.toNanos();
        for (int turn = 0; turn < 2 || System.nanoTime() < end; turn++) {
            awaitMore(topics, topic, workers);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
            if (turn % 3 != 1) {
                broker.kill();
                TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
            }
            if (turn % 3 != 2) {
                workers.restart(turn % 2 == 0 ? "a" : "b");
            }
            if (turn % 3 != 1) {
                broker.start();
            }
        }
    }

    private void awaitMore(Topics topics, String topic, Workers workers) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long before = published;
        while (published <= before) {
            workers.requireAlive();
            assertThat(System.nanoTime())
                    .as("%d messages are published, no more than before", published)
                    .isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(200);
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
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    /** The workers by name. */
    private static final class Workers implements AutoCloseable {
        private final Path folder;
        private final Map<String, String> settings;
        private final Map<String, WorkerProcess> running = new HashMap<>();

        Workers(Path folder, Map<String, String> settings) {
            this.folder = folder;
            this.settings = settings;
        }

        void start(String name) throws Exception {
            List<String> lines = new ArrayList<>();
            settings.forEach((key, value) -> lines.add(key + "=" + value.replace("%s", name)));
            Path config = Files.write(folder.resolve(name + ".properties"), lines);
            running.put(name, WorkerProcess.start(config, folder.resolve(name + ".log")));
        }

        void restart(String name) throws Exception {
            requireNonNull(running.get(name)).kill();
            start(name);
        }

        void requireAlive() throws Exception {
            for (Map.Entry<String, WorkerProcess> worker : running.entrySet()) {
                assertThat(worker.getValue().isAlive())
                        .as(
                                "worker %s: %s",
                                worker.getKey(), Files.readString(folder.resolve(worker.getKey() + ".log")))
                        .isTrue();
            }
        }

        @Override
        public void close() {
            running.values().forEach(WorkerProcess::close);
        }
    }
}
