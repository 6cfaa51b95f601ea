package dev.spream.storage.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A database of its own on the shared server, with a clock that the test moves: a function of the server's name for its
 * clock, which this database's connections find first.
 */
public final class TestDatabase implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String name = "test_%d".formatted(COUNT.incrementAndGet());
    private final HikariDataSource dataSource;

    public TestDatabase() {
        executeIn("postgres", "CREATE DATABASE " + name);
        executeIn(
                name,
                "CREATE SCHEMA test_clock",
                "CREATE TABLE test_clock.moved (ahead interval NOT NULL)",
                "INSERT INTO test_clock.moved VALUES ('0')",
                """
                CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
                'SELECT pg_catalog.clock_timestamp() + ahead FROM test_clock.moved'""");
        dataSource = open();
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
        try (Connection connection = PostgresServer.shared()
                        .getDatabase("postgres", database)
                        .getConnection();
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
        executeIn("postgres", "DROP DATABASE %s WITH (FORCE)".formatted(name));
    }
}
