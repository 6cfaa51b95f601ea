package dev.spream.storage.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A database of its own on the shared server, with a clock that the test moves: a function of the server's name for its
 * clock, which this database's connections find first. It is a copy of another one, or one that an earlier test has used, with
 * the tables and rows of the beginning and nothing else: to create a database costs several times as much as what a test does
 * in it.
 */
public final class TestDatabase implements AutoCloseable {
    private static final String NO_TABLES = "";
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Map<String, String> ORIGINALS = new ConcurrentHashMap<>();
    private static final Map<String, Queue<Session>> UNUSED = new ConcurrentHashMap<>();

    private final String kind;
    private final Session session;
    private final HikariDataSource dataSource;

    public TestDatabase() {
        this(NO_TABLES, Empty.NAME);
    }

    private TestDatabase(String kind, String original) {
        this.kind = kind;
        Session used =
                UNUSED.computeIfAbsent(kind, k -> new ConcurrentLinkedQueue<>()).poll();
        this.session = used == null ? new Session(copyOf(original)) : used;
        this.dataSource = open();
    }

    /** With tables that are created for the first database of that kind alone. */
    public static TestDatabase with(String kind, Consumer<TestDatabase> tables) {
        return new TestDatabase(kind, ORIGINALS.computeIfAbsent(kind, k -> original(tables)));
    }

    private static String original(Consumer<TestDatabase> tables) {
        TestDatabase original = new TestDatabase();
        try (HikariDataSource pool = original.dataSource) {
            tables.accept(original);
        }
        original.session.execute("SELECT test_clock.begin()");
        original.session.end();
        String name = original.session.database;
        Session.SERVER.execute(
                "ALTER DATABASE %s ALLOW_CONNECTIONS false".formatted(name)); // a copy waits for sessions
        Session.SERVER.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '%s'".formatted(name));
        return name;
    }

    private static String copyOf(String original) {
        String name = "test_%d".formatted(COUNT.incrementAndGet());
        Session.SERVER.execute("CREATE DATABASE %s TEMPLATE %s %s".formatted(name, original, Session.STRATEGY));
        return name;
    }

    /** A pool on this database, as another process would have one. */
    public HikariDataSource open() {
        HikariConfig config = new HikariConfig();
        config.setDataSource(session.others);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        config.setInitializationFailTimeout(-1); // lest it open a connection and close it
        config.setConnectionInitSql("SET search_path = test_clock, pg_catalog, public");
        return new HikariDataSource(config);
    }

    public HikariDataSource dataSource() {
        return dataSource;
    }

    public String url() {
        return PostgresServer.shared().getJdbcUrl("postgres", session.database);
    }

    public void passTime(Duration time) {
        session.execute(
                "UPDATE test_clock.moved SET ahead = ahead + %d * interval '1 millisecond'".formatted(time.toMillis()));
    }

    /** Waits until this many of its sessions wait for a lock of another one. */
    public void awaitBlocked(int sessions) throws SQLException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        try (Connection watch = session.others.getConnection();
                PreparedStatement blocked = watch.prepareStatement("""
                        SELECT count(*) FROM pg_stat_activity
                        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0""")) {
            int found;
            while ((found = count(blocked)) != sessions) {
                if (System.nanoTime() > end) {
                    throw new AssertionError("%d sessions wait for a lock, not %d".formatted(found, sessions));
                }
                LockSupport.parkNanos(2_000_000);
            }
        }
    }

    private static int count(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    /** In a session of their own. Settings of the database hold for all sessions that are used later. */
    public void execute(String... statements) {
        try {
            try (Connection other = session.others.getConnection();
                    Statement statement = other.createStatement()) {
                for (String sql : statements) {
                    statement.execute(sql);
                }
            }
            if (Arrays.stream(statements).anyMatch(sql -> sql.contains("ALTER DATABASE"))) {
                session.others.end(); // a setting holds for sessions that begin after it
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        dataSource.close();
        if (session.reset()) {
            requireNonNull(UNUSED.get(kind)).add(session);
        } else {
            session.end();
            Session.SERVER.execute("DROP DATABASE %s WITH (FORCE)".formatted(session.database));
        }
    }

    /** A connection that is opened when it is first needed, again if it was ended: a new one costs more than most statements. */
    private static final class Session implements AutoCloseable {
        private static final Session SERVER = new Session("postgres");
        private static final String STRATEGY = SERVER.strategy();

        private static final String END_OTHERS = """
                SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
                AND pid <> ALL ('%s'::int[])""";

        private final String database;
        private final KeptSessions others;
        private @Nullable Connection connection;

        Session(String database) {
            this.database = database;
            this.others = new KeptSessions(PostgresServer.shared().getJdbcUrl("postgres", database));
        }

        /** Copies files from version 15 on, as earlier ones do, instead of pages by way of the log. */
        private synchronized String strategy() {
            try {
                return connection().getMetaData().getDatabaseMajorVersion() < 15 ? "" : "STRATEGY file_copy";
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        synchronized void execute(String sql) {
            try (Statement statement = connection().createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Returns whether the database is as good as new, with no other session left within ten seconds. */
        synchronized boolean reset() {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            try (Statement statement = connection().createStatement()) {
                while (!"0".equals(value(statement, END_OTHERS.formatted(others.processes())))) {
                    if (System.nanoTime() > deadline) {
                        return false;
                    }
                    LockSupport.parkNanos(1_000_000);
                }
                return "t".equals(value(statement, "SELECT test_clock.reset()"));
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        private static @Nullable String value(Statement statement, String query) throws SQLException {
            try (ResultSet row = statement.executeQuery(query)) {
                row.next();
                return row.getString(1);
            }
        }

        private Connection connection() throws SQLException {
            if (connection == null || !connection.isValid(10)) {
                close();
                connection = PostgresServer.shared()
                        .getDatabase("postgres", database)
                        .getConnection();
            }
            return connection;
        }

        /** It and the others. */
        void end() {
            close();
            try {
                others.end();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public synchronized void close() {
            try {
                if (connection != null) {
                    connection.close();
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** The template of all other databases. */
    private static final class Empty {
        private static final String NAME = create();

        private static String create() {
            String name = copyOf("template1");
            try (Session session = new Session(name)) {
                session.execute(script());
            }
            return name;
        }

        private static String script() {
            try (InputStream script = requireNonNull(TestDatabase.class.getResourceAsStream("reset.sql"))) {
                return new String(script.readAllBytes(), UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
