package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.KeySet;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.cli.SpreamProcess;
import dev.spream.cli.WorkerFleet;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WorkerId;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Services mirror accounts into PostgreSQL while money is transferred between them in Spanner, partitions split, merge and
 * move, queries break, and the services are killed with {@code kill -9}. A reader adds up the balances in PostgreSQL all the
 * time. With whole transactions the sum never differs; without, it does, even if no service is killed.
 *
 * <p>{@code -Dtransfer.kills=30} kills that many services in each mode of whole transactions, {@code -Dtransfer.seed=…} repeats the workload.
 */
final class TransferInvariantIT {
    private static final int KILLS = Integer.getInteger("transfer.kills", 1);
    private static final long SEED = Long.getLong("transfer.seed", System.nanoTime() % 1_000_000);
    private static final Duration TRANSFER_INTERVAL = Duration.ofMillis(KILLS > 1 ? 20 : 60);
    private static final Duration CHURN = Duration.ofMillis(KILLS > 1 ? 500 : 3_000);
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(KILLS > 1 ? 2 : 20);
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    @TempDir
    private Path folder;

    /** Commit order has transactions whole, too. {@code -Dmatrix=true} adds the other mode, and the control without any. */
    static Stream<TransactionMode> modes() {
        return SpannerServers.areAll() ? Stream.of(TransactionMode.values()) : Stream.of(TransactionMode.COMMIT_ORDER);
    }

    @ParameterizedTest
    @MethodSource("modes")
    void the_sum_of_the_balances_is_constant_with_whole_transactions_alone(TransactionMode mode) throws Exception {
        int kills = mode == TransactionMode.OFF ? 0 : KILLS;
        TransferWorkload workload = new TransferWorkload(SEED);
        String url = PostgresDatabase.create().jdbcUrl();
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                        .seed(SEED)
                        .churn(PartitionChurn.every(CHURN).weights(3, 2, 1))
                        .faults(FaultRates.share(0.2))
                        .start();
                DemoDatabase database = DemoDatabase.create(
                        emulator.emulatorHost(),
                        Dialect.GOOGLE_STANDARD_SQL,
                        PartitionMode.IMMUTABLE_KEY_RANGE,
                        workload);
                HikariDataSource pool = pool(url);
                PartitionStorage storage = JdbcPartitionStorage.create(pool, DemoDatabase.STREAM);
                WorkerFleet fleet = new WorkerFleet(
                        Path.of("target", "transfers", mode.name().toLowerCase(Locale.ROOT)),
                        name -> command(mode, name));
                ExecutorService threads = Executors.newCachedThreadPool()) {
            configure(emulator.emulatorHost(), database, url);
            Map<String, Long> opening = copyAccounts(database.client(), pool);
            try (Sums sums = new Sums(pool, threads)) {
                Future<?> writing = threads.submit(() -> {
                    workload.run(database.client(), Integer.MAX_VALUE, TRANSFER_INTERVAL, Duration.ofHours(1));
                    return null;
                });
                try {
                    fleet.start();
                    for (int kill = 1; kill <= kills; kill++) {
                        fleet.start(); // takes over
                        awaitMirrored(pool, Instant.now(), fleet);
                        fleet.kill(awaitHolder(storage, fleet));
                    }
                    awaitMirrored(pool, Instant.now(), fleet);
                    await(() -> mode != TransactionMode.OFF || sums.found().size() > 1, () -> "the sum never differed");
                } finally {
                    workload.stop();
                }
                writing.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
                Map<String, Long> closing = balances(database.client());
                await(
                        () -> {
                            fleet.requireAlive();
                            return balances(pool).equals(closing);
                        },
                        () -> "the mirror is not equal, seed " + SEED);
                fleet.terminate();
                sums.close();
                System.out.printf(
                        "transfers, %s, seed %d: %d transactions, %d times kill -9, %d looks with %d sums%n",
                        mode,
                        SEED,
                        workload.transactions(),
                        kills,
                        sums.looks(),
                        sums.found().size());
                assertThat(balances(pool)).as("seed %d", SEED).isEqualTo(closing);
                assertThat(closing).isNotEqualTo(opening);
                if (mode != TransactionMode.OFF) {
                    assertThat(sums.found().keySet())
                            .as("the sums at all times, seed %d", SEED)
                            .containsExactly(
                                    opening.values().stream().mapToLong(x -> x).sum());
                }
            }
        }
    }

    private void configure(String emulatorHost, DemoDatabase database, String url) throws IOException {
        Files.writeString(file(), """
                source.spanner.database=%s
                source.spanner.stream=%s
                source.spanner.emulator-host=%s
                start=%s
                storage=jdbc
                storage.jdbc.url=%s
                sink=jdbc
                sink.jdbc.url=%s
                max-inflight=64
                heartbeat-interval=200ms
                lease-time=2s
                watermark-interval=200ms
                partition-discovery-interval=200ms
                """.formatted(
                        database.name(), DemoDatabase.STREAM, emulatorHost, database.serverTime(), url, url));
    }

    private Path file() {
        return folder.resolve("spream.properties");
    }

    private List<String> command(TransactionMode mode, String name) {
        List<String> command = new ArrayList<>(SpreamProcess.command());
        command.add(1, "-Xmx256m");
        command.addAll(List.of("run", "--config", file().toString(), "--worker=" + name));
        switch (mode) {
            case OFF -> {}
            case WHOLE -> command.add("--whole-transactions");
            case COMMIT_ORDER -> command.add("--commit-order");
        }
        return command;
    }

    static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        return new HikariDataSource(config);
    }

    /** Waits until a transfer after that time is in the mirror. */
    private static void awaitMirrored(HikariDataSource pool, Instant time, WorkerFleet fleet) throws Exception {
        await(
                () -> {
                    fleet.requireAlive();
                    try (Connection connection = pool.getConnection();
                            Statement statement = connection.createStatement();
                            ResultSet row = statement.executeQuery("SELECT max(\"LastUpdate\") FROM \"Accounts\"")) {
                        return row.next()
                                && row.getTimestamp(1) != null
                                && row.getTimestamp(1).toInstant().isAfter(time);
                    }
                },
                () -> "nothing is mirrored any more, seed " + SEED);
    }

    /** Returns a service that owns unfinished partitions and runs; what is added to its name is cut off. */
    private static String awaitHolder(PartitionStorage storage, WorkerFleet fleet) throws Exception {
        List<String> found = new ArrayList<>();
        await(
                () -> found.addAll(storage.frontier().partitions().stream()
                        .filter(partition -> !partition.isFinished())
                        .flatMap(partition -> partition.owner().stream())
                        .map(WorkerId::value)
                        .map(owner -> owner.substring(0, owner.indexOf('-')))
                        .filter(fleet::runs)
                        .toList()),
                () -> "no service that runs holds a partition");
        return found.getFirst();
    }

    static Map<String, Long> copyAccounts(DatabaseClient client, HikariDataSource pool) throws SQLException {
        Map<String, Long> balances = balances(client);
        try (Connection connection = pool.getConnection();
                Statement ddl = connection.createStatement()) {
            ddl.execute(
                    "CREATE TABLE \"Accounts\" (\"AccountId\" text PRIMARY KEY, \"LastUpdate\" timestamptz, \"Balance\" bigint NOT NULL)");
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO \"Accounts\" (\"AccountId\", \"Balance\") VALUES (?, ?)")) {
                for (Map.Entry<String, Long> account : balances.entrySet()) {
                    insert.setString(1, account.getKey());
                    insert.setLong(2, account.getValue());
                    insert.executeUpdate();
                }
            }
        }
        return balances;
    }

    private static Map<String, Long> balances(DatabaseClient client) {
        Map<String, Long> balances = new TreeMap<>();
        try (var row = client.singleUse().read(DemoDatabase.TABLE, KeySet.all(), List.of("AccountId", "Balance"))) {
            while (row.next()) {
                balances.put(row.getString(0), row.getLong(1));
            }
        }
        return balances;
    }

    static Map<String, Long> balances(HikariDataSource pool) throws SQLException {
        Map<String, Long> balances = new TreeMap<>();
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT \"AccountId\", \"Balance\" FROM \"Accounts\"")) {
            while (row.next()) {
                balances.put(row.getString(1), row.getLong(2));
            }
        }
        return balances;
    }

    private static void await(Callable<Boolean> condition, Callable<String> state) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("waited in vain: " + state.call());
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Adds up the balances in the mirror until it is closed. */
    static final class Sums implements AutoCloseable {
        private final HikariDataSource pool;
        private final Map<Long, Integer> found = new ConcurrentSkipListMap<>();
        private final Future<?> looking;
        private volatile boolean done;

        Sums(HikariDataSource pool, ExecutorService threads) {
            this.pool = pool;
            this.looking = threads.submit(() -> {
                look();
                return null;
            });
        }

        private void look() throws SQLException {
            try (Connection connection = pool.getConnection();
                    PreparedStatement sum = connection.prepareStatement("SELECT sum(\"Balance\") FROM \"Accounts\"")) {
                while (!done) {
                    try (ResultSet row = sum.executeQuery()) {
                        row.next();
                        found.merge(row.getLong(1), 1, Integer::sum);
                    }
                    LockSupport.parkNanos(LOOK_INTERVAL.toNanos());
                }
            }
        }

        /** Returns how often each sum was found. */
        Map<Long, Integer> found() {
            return found;
        }

        int looks() {
            return found.values().stream().mapToInt(x -> x).sum();
        }

        @Override
        public void close() throws Exception {
            done = true;
            looking.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
