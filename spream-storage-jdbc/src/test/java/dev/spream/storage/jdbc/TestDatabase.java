package dev.spream.storage.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A database of its own on the shared server, with a clock that the test moves: a function of the server's name for its
 * clock, which this database's connections find first. With tables it is a copy of another one, or one that an earlier test
 * has used and left unaltered, with the rows of the beginning: to create a database costs several times as much as what a test
 * does in it.
 */
public final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Map<String, String> ORIGINALS = new ConcurrentHashMap<>();
    private static final Map<String, Queue<String>> UNUSED = new ConcurrentHashMap<>();

    private final Optional<String> kind;
    private final String name;
    private final HikariDataSource dataSource;

    public TestDatabase() {
        this(Optional.empty(), copyOf(Empty.NAME));
    }

    private TestDatabase(Optional<String> kind, String name) {
        this.kind = kind;
        this.name = name;
        this.dataSource = open();
    }

    /** With tables that are created for the first database of that kind alone. */
    public static TestDatabase with(String kind, Consumer<TestDatabase> tables) {
        String original = ORIGINALS.computeIfAbsent(kind, k -> original(tables));
        String used =
                UNUSED.computeIfAbsent(kind, k -> new ConcurrentLinkedQueue<>()).poll();
        return new TestDatabase(Optional.of(kind), used == null ? copyOf(original) : used);
    }

    private static String original(Consumer<TestDatabase> tables) {
        TestDatabase original = new TestDatabase();
        try (HikariDataSource pool = original.dataSource;
                InputStream reset = requireNonNull(TestDatabase.class.getResourceAsStream("reset.sql"))) {
            tables.accept(original);
            original.execute(new String(reset.readAllBytes(), UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return original.name;
    }

    private static String copyOf(String original) {
        String name = "test_%d".formatted(COUNT.incrementAndGet());
        executeIn("postgres", "CREATE DATABASE %s TEMPLATE %s".formatted(name, original));
        return name;
    }

    /** A pool on this database, as another process would have one. */
    public HikariDataSource open() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        config.setConnectionInitSql("SET search_path = test_clock, pg_catalog, public");
        return new HikariDataSource(config);
    }

    public HikariDataSource dataSource() {
        return dataSource;
    }

    public String url() {
        return PostgresServer.shared().getJdbcUrl("postgres", name);
    }

    public void passTime(Duration time) {
        executeIn(
                name,
                "UPDATE test_clock.moved SET ahead = ahead + %d * interval '1 millisecond'".formatted(time.toMillis()));
    }

    public void execute(String... statements) {
        executeIn(name, statements);
    }

    private static void executeIn(String database, String... statements) {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        dataSource.close();
        if (kind.isPresent() && reset()) {
            requireNonNull(UNUSED.get(kind.get())).add(name);
        } else {
            executeIn("postgres", "DROP DATABASE %s WITH (FORCE)".formatted(name));
        }
    }

    /** Whether it is as good as new, with no session left. */
    private boolean reset() {
        try (Connection connection = connect(name);
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()""");
            try (ResultSet row = statement.executeQuery("SELECT test_clock.reset()")) {
                return row.next() && row.getBoolean(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Connection connect(String database) throws SQLException {
        return PostgresServer.shared().getDatabase("postgres", database).getConnection();
    }

    /** What all others are copies of. */
    private static final class Empty {
        private static final String NAME = create();

        private static String create() {
            String name = copyOf("template1");
            executeIn(
                    name,
                    "CREATE SCHEMA test_clock",
                    "CREATE TABLE test_clock.moved (ahead interval NOT NULL)",
                    "INSERT INTO test_clock.moved VALUES ('0')",
                    """
                    CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
                    'SELECT pg_catalog.clock_timestamp() + ahead FROM test_clock.moved'""");
            return name;
        }
    }
}
