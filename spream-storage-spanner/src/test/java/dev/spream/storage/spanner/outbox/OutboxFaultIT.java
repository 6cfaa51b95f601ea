package dev.spream.storage.spanner.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStats;
import dev.spream.servers.DeadNetwork;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Worker processes share an outbox while one is killed with {@code kill -9} and another is stopped for longer than its lease
 * and continued, or while none reaches the server for longer than that. In the end each message whose transaction committed has had one effect, those of an ordering key in
 * their order, and its request has succeeded; a message that was rolled back has had none. {@code
 * -Doutbox.rounds=20} repeats the faults; {@code -Doutbox.seed=…} repeats the random choices.
 */
@Timeout(600)
final class OutboxFaultIT {
    private static final int ROUNDS = Integer.getInteger("outbox.rounds", 1);
    private static final long SEED = Long.getLong("outbox.seed", System.nanoTime() % 1_000_000);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int PER_STEP = 20;
    private static final int KEYS = 5;

    private final List<Process> workers = new ArrayList<>();
    private final List<String> committed = new ArrayList<>();
    private final Random random = new Random(SEED);
    private CountingReceiver receiver;
    private DeadNetwork network;
    private SpannerConnection connection;
    private SpannerOutbox outbox;
    private List<String> arguments;

    @BeforeEach
    void startTwoWorkers() throws IOException {
        SpannerServer server = SpannerServers.ours();
        String name =
                server.createDatabase(Dialect.GOOGLE_STANDARD_SQL, List.of()).getName();
        receiver = new CountingReceiver(SEED);
        network = DeadNetwork.before(server.emulatorHost());
        connection = SpannerConnection.builder(DatabaseName.parse(name))
                .emulatorHost(server.emulatorHost())
                .maxOpenQueries(1)
                .open();
        SpannerOutboxTables.create(connection, "Outbox");
        outbox = SpannerOutbox.open(connection, "Outbox");
        arguments = List.of(network.address(), name, "Outbox", receiver.address());
        start();
        start();
    }

    @AfterEach
    void stop() throws IOException {
        workers.forEach(Process::destroyForcibly);
        connection.close();
        network.close();
        receiver.close();
    }

    @Test
    @Tag("proof")
    void each_message_has_one_effect_though_workers_are_killed_and_stopped_past_their_leases() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            enqueue();
            awaitEffects(committed.size() - PER_STEP / 2);
            enqueue();
            kill(workers.removeFirst());
            start();
            Process paused = workers.getFirst();
            awaitEffects(committed.size() - PER_STEP / 2);
            enqueue();
            signal("STOP", paused);
            awaitEffects(committed.size());
            LockSupport.parkNanos(OutboxWorkerProgram.LEASE.toNanos());
            signal("CONT", paused);
        }
        enqueue();
        awaitSettled();
        judge();
    }

    @Test
    @Tag("proof")
    void each_message_has_one_effect_though_the_server_is_unreachable_for_two_leases() {
        for (int round = 0; round < ROUNDS; round++) {
            enqueue();
            awaitEffects(committed.size() - PER_STEP / 2);
            network.die();
            enqueue();
            LockSupport.parkNanos(OutboxWorkerProgram.LEASE.multipliedBy(2).toNanos());
            assertThat(receiver.effects())
                    .as("without the last %d, which no worker could claim", PER_STEP)
                    .hasSizeLessThanOrEqualTo(committed.size() - PER_STEP);
            network.revive();
        }
        awaitSettled();
        judge();
    }

    /**
     * Enqueues messages of two destinations with and without ordering keys, some of them delayed, in transactions of which each fifth is
     * rolled back.
     */
    private void enqueue() {
        for (int i = 0; i < PER_STEP; i++) {
            String key = "%d of %d".formatted(committed.size(), i % KEYS);
            OutboxMessage.Builder message = OutboxMessage.builder(key, "\"" + key + "\"");
            if (i % KEYS == 0) {
                message.destination(OutboxWorkerProgram.DESTINATION);
            }
            if (i % 4 == 0) {
                message.afterDelay(Duration.ofMillis(300));
            }
            OutboxMessage sent = i % 2 == 0
                    ? message.build()
                    : message.orderingKey("key " + i % KEYS).build();
            connection.client().readWriteTransaction().run(transaction -> outbox.enqueue(transaction, sent));
            committed.add(key);
            if (random.nextInt(5) == 0) {
                try (var manager = connection.client().transactionManager()) {
                    outbox.enqueue(manager.begin(), OutboxMessage.of("never " + key, "0"));
                    manager.rollback();
                }
            }
        }
        outbox.signal();
    }

    private void start() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                OutboxWorkerProgram.class.getName()));
        command.addAll(arguments);
        File log = Path.of("target", "outbox-worker-%d.log".formatted(workers.size()))
                .toFile();
        workers.add(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start());
    }

    private static void kill(Process worker) throws InterruptedException {
        assertThat(worker.isAlive()).as("the worker that is to be killed").isTrue();
        worker.destroyForcibly().waitFor();
    }

    private static void signal(String signal, Process worker) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + signal, Long.toString(worker.pid()))
                        .start()
                        .waitFor())
                .as("kill -%s", signal)
                .isZero();
    }

    private void awaitEffects(int count) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (receiver.effects().size() < count) {
            assertThat(System.nanoTime() - until)
                    .as("%d of %d effects, seed %d", receiver.effects().size(), count, SEED)
                    .isNegative();
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }

    private void awaitSettled() {
        SpannerOutboxOperations operations = SpannerOutboxOperations.open(connection, "Outbox");
        long until = System.nanoTime() + PATIENCE.toNanos();
        OutboxStats stats = operations.stats();
        while (unsettled(stats) > 0) {
            assertThat(System.nanoTime() - until).as("seed %d: %s", SEED, stats).isNegative();
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            stats = operations.stats();
        }
    }

    private static long unsettled(OutboxStats stats) {
        return stats.entries().entrySet().stream()
                .filter(entry -> !entry.getKey().isSettled())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private void judge() {
        SpannerIdempotencyLedger ledger = SpannerIdempotencyLedger.open(connection, "Outbox");
        List<String> effects = receiver.effects();
        assertThat(effects).as("seed %d", SEED).containsExactlyInAnyOrderElementsOf(committed);
        assertThat(committed)
                .allSatisfy(key -> assertThat(ledger.find(key))
                        .map(LedgerEntry::status)
                        .as(key)
                        .contains(LedgerStatus.SUCCEEDED));
        for (int key = 0; key < KEYS; key++) {
            String orderingKey = " of " + key;
            assertThat(ordered(effects, orderingKey)).isEqualTo(ordered(committed, orderingKey));
        }
        System.out.printf(
                "outbox in Spanner, seed %d: %d messages, %d requests at the receiver, %d effects%n",
                SEED, committed.size(), receiver.requests(), effects.size());
    }

    /** Returns the keys of the messages with that ordering key; every second message has one. */
    private List<String> ordered(List<String> keys, String orderingKey) {
        List<String> withKey = IntStream.range(0, committed.size())
                .filter(i -> i % PER_STEP % 2 == 1)
                .mapToObj(committed::get)
                .filter(key -> key.endsWith(orderingKey))
                .toList();
        return keys.stream().filter(withKey::contains).toList();
    }
}
