package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.OutboxStatus;
import dev.spream.servers.JavaCommand;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.StoppableServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Workers in processes of their own send the entries of an outbox in MySQL or MariaDB while they are killed, stopped for longer
 * than their lease and continued, and while the server is stopped. Each committed entry has one effect.
 */
@Timeout(300)
abstract class MySqlFaults {
    private static final int ENTRIES = 60;
    private static final int FAULTS = Boolean.getBoolean("matrix") ? 3 : 1;
    private static final Duration DOWN =
            OutboxWorkerProcess.LEASE.multipliedBy(3).dividedBy(2);

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final List<Worker> workers = new ArrayList<>();
    private final Set<String> committed = new TreeSet<>();
    private final Set<String> unknown = new TreeSet<>();
    private final CountingReceiver receiver;
    private int sequence;

    @SuppressWarnings("NullAway.Init") // set by each test
    private HikariDataSource pool;

    @SuppressWarnings("NullAway.Init") // set by each test
    private JdbcOutbox outbox;

    MySqlFaults() throws IOException {
        receiver = new CountingReceiver();
    }

    @BeforeEach
    final void makeFolder() throws IOException {
        Files.createDirectories(Path.of("target", "outbox-workers"));
    }

    @AfterEach
    final void close() {
        workers.forEach(worker -> worker.process().destroyForcibly());
        receiver.close();
    }

    abstract MySqlServer shared();

    /** Starts a server of one test. */
    abstract StoppableServer start();

    /** The URL by the driver of the trial. */
    abstract String url(MySqlDatabase database);

    private interface Fault {
        void happen(Runnable start) throws Exception;
    }

    /** A process that is expected to run, and the file of its output. */
    private record Worker(Process process, Path log) {}

    @Test
    void workers_that_are_killed_send_each_entry_once_to_a_receiver_that_can_be_queried() throws Exception {
        run(shared(), Guarantee.QUERYABLE, start -> {
            workers.removeFirst().process().destroyForcibly();
            start.run();
        });
        assertThat(receiver.requests().values()).containsOnly(1);
    }

    /** A worker that is continued sends once more what it was about to send; the receiver recognises the key. */
    @Test
    @Tag("proof")
    void workers_that_are_stopped_for_longer_than_their_lease_lose_their_claims() throws Exception {
        run(shared(), Guarantee.IDEMPOTENT, start -> {
            signal("STOP", workers.getFirst().process());
            enqueueFor(DOWN);
            signal("CONT", workers.getFirst().process());
        });
    }

    @Test
    @Tag("proof")
    void a_server_that_is_stopped_loses_and_repeats_nothing() throws Exception {
        try (StoppableServer server = start()) {
            run(server.server(), Guarantee.QUERYABLE, start -> {
                server.stop();
                enqueueFor(DOWN);
                server.restart();
                int before = committed.size();
                enqueueUntil(() -> committed.size() > before);
            });
        }
        assertThat(receiver.requests().values()).containsOnly(1);
    }

    private void run(MySqlServer server, Guarantee guarantee, Fault fault) throws Exception {
        try (MySqlDatabase database = new MySqlDatabase(server);
                HikariDataSource opened = database.open(url(database), 4)) {
            pool = opened;
            pool.setConnectionTimeout(500); // while the server is stopped
            outbox = JdbcOutbox.create(pool);
            Runnable start = () -> workers.add(start(database, guarantee));
            start.run();
            start.run();
            for (int faults = 0; faults < FAULTS; faults++) {
                int before = receiver.requests().size();
                int least = (faults + 1) * ENTRIES / FAULTS;
                enqueueUntil(
                        () -> receiver.requests().size() >= before + ENTRIES / FAULTS / 2 && committed.size() >= least);
                fault.happen(start);
            }
            judge();
        }
    }

    private Worker start(MySqlDatabase database, Guarantee guarantee) {
        List<String> command = JavaCommand.of(OutboxWorkerProcess.class);
        command.addAll(List.of(
                url(database),
                database.server().user(),
                database.server().password(),
                receiver.uri().toString(),
                guarantee.name()));
        Path log = Path.of("target", "outbox-workers", "worker-" + ++sequence + ".log");
        try {
            return new Worker(
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start(),
                    log);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void signal(String name, Process process) throws Exception {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    /** Fails with the output of a worker that has ended, or of the first one if it takes too long. */
    private void requireWorking(long end) throws IOException {
        for (Worker worker : workers) {
            if (!worker.process().isAlive() || System.nanoTime() - end > 0) {
                throw new AssertionError("%d entries committed, %d sent; the worker %s, with the output:%n%s"
                        .formatted(
                                committed.size(),
                                receiver.requests().size(),
                                worker.process(),
                                Files.readString(worker.log())));
            }
        }
    }

    private void enqueueUntil(BooleanSupplier enough) throws IOException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!enough.getAsBoolean()) {
            requireWorking(end);
            enqueue();
        }
    }

    private void enqueueFor(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0) {
            enqueue();
        }
    }

    /** Enqueues an entry in a transaction; each fifth is rolled back, and each third has an ordering key. */
    private void enqueue() {
        String key = "k%05d".formatted(++sequence);
        OutboxMessage.Builder message = OutboxMessage.builder(key, "{}");
        if (sequence % 3 == 0) {
            message.orderingKey("o" + sequence % 4);
        }
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            outbox.enqueue(connection, message.build());
            if (sequence % 5 == 0) {
                connection.rollback();
                return;
            }
            unknown.add(key);
            connection.commit();
            unknown.remove(key);
            committed.add(key);
        } catch (SQLException | StorageException e) {
            assertThat(workers).as("%s, with %s", e, key).isNotEmpty(); // the server is stopped
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }

    /** An entry whose commit was not confirmed is sent if it was committed. */
    private void judge() throws SQLException, IOException {
        JdbcIdempotencyLedger ledger = JdbcIdempotencyLedger.create(pool);
        try (JdbcOutboxOperations operations = JdbcOutboxOperations.create(pool)) {
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (operations.stats().entries().entrySet().stream()
                    .anyMatch(entry -> entry.getKey() != OutboxStatus.SUCCEEDED && entry.getValue() > 0)) {
                requireWorking(end);
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            assertThat(operations.stats().entries()).containsEntry(OutboxStatus.ABORTED, 0L);
        }
        Set<String> sent = new TreeSet<>(receiver.requests().keySet());
        assertThat(sent).containsAll(committed);
        sent.removeAll(committed);
        assertThat(unknown).as("sent without a confirmed commit").containsAll(sent);
        assertThat(receiver.requests().keySet())
                .allSatisfy(key -> assertThat(ledger.find(key)).hasValueSatisfying(entry -> {
                    assertThat(entry.status()).isEqualTo(LedgerStatus.SUCCEEDED);
                    assertThat(entry.generation()).isEqualTo(1);
                }));
        assertThat(receiver.keysInOrder().values())
                .allSatisfy(keys -> assertThat(keys.stream().distinct()).isSorted());
    }
}
