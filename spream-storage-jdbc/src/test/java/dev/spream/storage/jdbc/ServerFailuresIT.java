package dev.spream.storage.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.SessionPlans;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/** Servers that stop, stand still or are full, and locks that others hold. */
@Timeout(120)
final class ServerFailuresIT {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final WorkerId ANN = new WorkerId("ann");

    /** A time limit with which a server counts as dead after 2 seconds. */
    private static final Duration NO_TIME = Duration.ofMillis(1);

    @Test
    void a_restarted_server_fails_calls_for_a_while_and_loses_nothing(@TempDir Path folder) throws Exception {
        EmbeddedPostgres first = server(folder, 0);
        int port = first.getPort();
        try (HikariDataSource pool = JdbcPool.open(url(port), Optional.of("postgres"), Optional.empty());
                JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders")) {
            PartitionLease lease = runningRoot(storage);
            first.close();

            for (int call = 0; call < 2; call++) {
                assertThatThrownBy(() -> storage.renew(List.of(lease), LEASE))
                        .isInstanceOfSatisfying(
                                StorageException.class,
                                e -> assertThat(e.retryable()).isTrue())
                        .hasMessageStartingWith("renewing 1 lease of subscription 'orders' failed")
                        .hasMessageContaining("may succeed later");
            }

            try (EmbeddedPostgres again = server(folder, port)) {
                assertThat(again.getPort()).isEqualTo(port);
                for (int connection = 0;
                        connection < pool.getMaximumPoolSize();
                        connection++) { // each may be a dead one
                    failureOf(storage::frontier)
                            .ifPresent(e ->
                                    assertThat(e.retryable()).as(e.getMessage()).isTrue());
                }
                assertThat(storage.renew(List.of(lease), LEASE)).isEmpty();
                assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(lease, START.plusNanos(1)))))
                        .isEmpty();
                assertThat(storage.frontier().lowWatermark()).contains(START.plusNanos(1));
            }
        }
    }

    @Test
    void a_connection_that_the_server_ended_fails_one_call_at_most_and_is_replaced() throws Exception {
        try (TestDatabase database = new TestDatabase();
                HikariDataSource pool = pool(database, "ended");
                JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders")) {
            runningRoot(storage);
            database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ended'");
            for (int connection = 0; connection < pool.getMaximumPoolSize(); connection++) {
                failureOf(storage::frontier)
                        .ifPresent(e ->
                                assertThat(e.retryable()).as(e.getMessage()).isTrue());
            }
            assertThat(storage.frontier().partitions()).hasSize(1);
        }
    }

    @Test
    void a_locked_row_fails_the_call_at_its_timeout_and_no_other_call() throws Exception {
        try (TestDatabase database = new TestDatabase();
                HikariDataSource pool = pool(database, "patient");
                JdbcPartitionStorage storage = JdbcPartitionStorage.builder(pool, "orders")
                        .statementTimeout(Duration.ofSeconds(1))
                        .build();
                Connection operator = database.dataSource().getConnection();
                Statement statement = operator.createStatement()) {
            PartitionLease lease = runningRoot(storage);
            operator.setAutoCommit(false);
            statement.execute("SELECT * FROM spream.partitions FOR UPDATE");

            assertThatThrownBy(() -> storage.markRunning(lease))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            e -> assertThat(e.retryable()).isTrue())
                    .hasMessageContaining("57014");
            assertThat(storage.frontier().partitions()).hasSize(1);

            operator.rollback();
            assertThat(storage.renew(List.of(lease), LEASE)).isEmpty();
        }
    }

    @Test
    void a_server_that_stands_still_fails_the_call_in_time_whatever_data_source_is_used() throws Exception {
        try (TestDatabase database = new TestDatabase()) {
            JdbcPartitionStorage.create(database.dataSource(), "orders").close();
            PGSimpleDataSource plain = new PGSimpleDataSource();
            plain.setUrl(database.url());
            plain.setUser("postgres");
            plain.setApplicationName("still");
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setDataSource(plain);
                pool.setMaximumPoolSize(1);
                JdbcPartitionStorage storage = JdbcPartitionStorage.builder(pool, "orders")
                        .statementTimeout(Duration.ofSeconds(1))
                        .build();
                PartitionLease lease = runningRoot(storage);
                String process = processOf(database, "still");
                signal("STOP", process);
                try {
                    assertThatThrownBy(() -> storage.renew(List.of(lease), LEASE))
                            .isInstanceOfSatisfying(
                                    StorageException.class,
                                    e -> assertThat(e.retryable()).isTrue())
                            .hasMessageContaining("may succeed later");
                } finally {
                    signal("CONT", process);
                }
                assertThat(storage.renew(List.of(lease), LEASE)).isEmpty();
            }
        }
    }

    @Test
    void a_server_that_stands_still_fails_a_read_in_portions_in_time_and_the_pool_replaces_its_connection()
            throws Exception {
        PGSimpleDataSource plain = new PGSimpleDataSource();
        try (TestDatabase database = new TestDatabase();
                HikariDataSource pool = new HikariDataSource()) {
            plain.setUrl(database.url());
            plain.setUser("postgres");
            pool.setDataSource(plain);
            pool.setMaximumPoolSize(1);
            Database reader = new Database(pool, new SchemaName("spream"), NO_TIME);
            for (boolean afterRows : new boolean[] {false, true}) {
                String process = numbers(reader, "SELECT pg_backend_pid()", () -> {}, row -> row.getString(1))
                        .getFirst();
                // on another thread, since nothing would end a wait without a limit
                CompletableFuture<?> read = CompletableFuture.runAsync(() -> numbers(
                        reader,
                        "SELECT n",
                        () -> stop(process, !afterRows), // once the pool has found the connection alive
                        row -> stop(process, true)));
                try {
                    assertThatThrownBy(() -> read.get(30, SECONDS))
                            .cause()
                            .isInstanceOfSatisfying(
                                    StorageException.class,
                                    e -> assertThat(e.retryable()).isTrue())
                            .hasMessageStartingWith("reading numbers failed")
                            .hasMessageContainingAll("the server did not answer within 2", "may succeed later");
                } finally {
                    signal("CONT", process);
                }
            }
            assertThat(numbers(reader, () -> {})).hasSize(10);
        }
    }

    @Test
    void a_read_in_portions_takes_longer_than_the_limit_of_an_answer_as_long_as_rows_come() {
        try (TestDatabase database = new TestDatabase()) {
            Database reader = new Database(database.dataSource(), new SchemaName("spream"), Duration.ofMillis(900));
            assertThat(reader.rowsUntil(
                            "reading numbers",
                            new SessionPlans(),
                            "SELECT n, pg_sleep(0.5) FROM generate_series(1, 8) AS n",
                            p -> {},
                            row -> row.getLong(1),
                            () -> 1,
                            n -> false))
                    .hasSize(8);
        }
    }

    @Test
    void a_server_that_stands_still_fails_the_rollback_of_a_failed_read_in_time() throws Exception {
        try (TestDatabase database = new TestDatabase();
                Connection session = session(database)) {
            Database reader = new Database(lending(session, Runnable::run), new SchemaName("spream"), NO_TIME);
            String process = numbers(reader, "SELECT pg_backend_pid()", () -> {}, row -> row.getString(1))
                    .getFirst();
            CompletableFuture<?> read = CompletableFuture.runAsync(() -> numbers(reader, "SELECT n", () -> {}, row -> {
                stop(process, true);
                throw new IllegalStateException("not a number");
            }));
            try {
                assertThatThrownBy(() -> read.get(30, SECONDS))
                        .cause()
                        .isInstanceOf(IllegalStateException.class)
                        .satisfies(e -> assertThat(e.getSuppressed()).isNotEmpty());
            } finally {
                signal("CONT", process);
            }
        }
    }

    @Test
    void a_connection_whose_answer_is_too_late_is_closed_before_it_is_lent_again() throws Exception {
        try (TestDatabase database = new TestDatabase();
                Connection session = session(database)) {
            CountDownLatch late = new CountDownLatch(1);
            Database reader =
                    new Database(lending(session, abort -> late.countDown()), new SchemaName("spream"), NO_TIME);
            assertThatThrownBy(() -> numbers(reader, "SELECT n", late::await, row -> row.getLong(1)))
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            e -> assertThat(e.retryable()).isTrue())
                    .hasMessageContaining("the server did not answer within 2");
            assertThat(session.isClosed()).isTrue();
        }
    }

    @Test
    void a_connection_is_as_before_after_an_error_and_closed_after_one_of_the_jvm() throws Exception {
        try (TestDatabase database = new TestDatabase();
                Connection session = session(database)) {
            Database reader =
                    new Database(lending(session, Runnable::run), new SchemaName("spream"), Duration.ofSeconds(10));
            assertThatThrownBy(() -> numbers(reader, "SELECT n", () -> {}, row -> {
                        throw new AssertionError("not a number");
                    }))
                    .isInstanceOf(AssertionError.class);
            assertThat(session.getAutoCommit()).isTrue();
            assertThat(session.getNetworkTimeout()).isZero();
            assertThatThrownBy(() -> numbers(reader, "SELECT n", () -> {}, row -> {
                        throw new StackOverflowError();
                    }))
                    .isInstanceOf(StackOverflowError.class);
            assertThat(session.isClosed()).isTrue();
        }
    }

    private static List<Long> numbers(Database reader, ThrowingCallable before) {
        return numbers(reader, "SELECT n", before, row -> row.getLong(1));
    }

    private static <T> List<T> numbers(
            Database reader, String select, ThrowingCallable before, Database.RowReader<T> row) {
        return reader.rowsUntil(
                "reading numbers",
                new SessionPlans(),
                select + " FROM generate_series(1, ?) AS n",
                p -> {
                    assertThatCode(before).doesNotThrowAnyException();
                    p.number(10);
                },
                row,
                () -> 5,
                n -> false);
    }

    private static Connection session(TestDatabase database) throws SQLException {
        return DriverManager.getConnection(database.url(), "postgres", null);
    }

    /** Returns a source that lends the session again and again, as a pool does; others than the caller abort it that way. */
    private static DataSource lending(Connection session, Executor aborts) {
        Thread caller = Thread.currentThread();
        return new PGSimpleDataSource() {
            @Override
            public Connection getConnection() {
                return (Connection) Proxy.newProxyInstance(
                        ServerFailuresIT.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> switch (method.getName()) {
                            case "close" -> null;
                            case "abort" -> {
                                session.abort(Thread.currentThread().equals(caller) ? Runnable::run : aborts);
                                yield null;
                            }
                            default -> KeptSessions.invoke(session, method, arguments);
                        });
            }
        };
    }

    @Test
    void a_data_source_that_leaves_the_commit_to_its_user_gets_its_connections_back_as_they_were() throws Exception {
        try (TestDatabase database = new TestDatabase();
                HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(database.url());
            pool.setAutoCommit(false);
            try (JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders")) {
                runningRoot(storage);
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
            }
            assertThat(JdbcPartitionStorage.create(database.dataSource(), "orders")
                            .frontier()
                            .partition(PartitionToken.ROOT))
                    .hasValueSatisfying(root -> assertThat(root.epoch()).isEqualTo(1));
        }
    }

    @Test
    void an_interrupted_thread_stays_interrupted() throws Exception {
        try (TestDatabase database = new TestDatabase();
                HikariDataSource pool = pool(database, "interrupted");
                JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders")) {
            runningRoot(storage);
            for (Thread.Builder builder : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
                List<Connection> all = new ArrayList<>();
                for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                    all.add(pool.getConnection());
                }
                CompletableFuture<Observation> observed = new CompletableFuture<>();
                Thread caller = builder.start(() -> observed.complete(Observation.of(storage::frontier)));
                caller.interrupt();
                Observation observation = observed.get(60, SECONDS);
                for (Connection connection : all) {
                    connection.close();
                }
                assertThat(observation.failure())
                        .hasValueSatisfying(e -> assertThat(e.retryable()).isTrue());
                assertThat(observation.interrupted()).isTrue();
            }
        }
    }

    @Test
    void a_closed_storage_says_so() throws Exception {
        try (TestDatabase database = new TestDatabase()) {
            JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.dataSource(), "orders");
            storage.close();
            storage.close();
            assertThatThrownBy(storage::frontier)
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("the storage is closed");
            assertThat(database.dataSource().isClosed()).isFalse();
        }
    }

    private static PartitionLease runningRoot(JdbcPartitionStorage storage) {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        PartitionLease lease = storage.acquire(ANN, List.of(new PartitionClaim(PartitionToken.ROOT, 0)), LEASE)
                .getFirst();
        assertThat(storage.markRunning(lease)).isTrue();
        return lease;
    }

    private static Optional<StorageException> failureOf(Runnable call) {
        try {
            call.run();
            return Optional.empty();
        } catch (StorageException e) {
            return Optional.of(e);
        }
    }

    private static EmbeddedPostgres server(Path folder, int port) throws Exception {
        return EmbeddedPostgres.builder()
                .setDataDirectory(folder.resolve("data"))
                .setCleanDataDirectory(false)
                .setPort(port)
                .start();
    }

    private static HikariDataSource pool(TestDatabase database, String application) {
        return JdbcPool.open(
                database.url() + "&ApplicationName=" + application, Optional.of("postgres"), Optional.empty());
    }

    private static String processOf(TestDatabase database, String application) throws Exception {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT pid FROM pg_stat_activity WHERE application_name = '%s'".formatted(application))) {
            assertThat(result.next()).isTrue();
            return result.getString(1);
        }
    }

    private static boolean stop(String process, boolean stops) {
        if (stops) {
            assertThatCode(() -> signal("STOP", process)).doesNotThrowAnyException();
        }
        return stops;
    }

    private static void signal(String name, String process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + name, process).start().waitFor())
                .isZero();
    }

    private static String url(int port) {
        return "jdbc:postgresql://localhost:%d/postgres".formatted(port);
    }

    /** The result of a call on a thread. */
    private record Observation(Optional<StorageException> failure, boolean interrupted) {
        static Observation of(Runnable call) {
            Optional<StorageException> failure = failureOf(call);
            return new Observation(failure, Thread.currentThread().isInterrupted());
        }
    }
}
