package dev.spream.servers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** An empty database of the PostgreSQL that the tests of a JVM share, which ends with the JVM. */
public record PostgresDatabase(String name) {
    private static final int CONNECTIONS = 50;
    private static final AtomicInteger DATABASES = new AtomicInteger();
    private static final Map<String, DataSource> POOLS = new ConcurrentHashMap<>();

    public static PostgresDatabase create() {
        String name = "test_%d".formatted(DATABASES.incrementAndGet());
        try (Connection connection = Holder.SERVER.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
            return new PostgresDatabase(name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public int port() {
        return Holder.SERVER.getPort();
    }

    public String jdbcUrl() {
        return Holder.SERVER.getJdbcUrl("postgres", name);
    }

    /** Returns the URL in the form of the services' environment variables. */
    public String url() {
        return "postgres://postgres@localhost:%d/%s".formatted(port(), name);
    }

    /**
     * Returns the pool of this database, which ends with the JVM: a new connection costs several times as much as most
     * statements.
     */
    public DataSource source() {
        return POOLS.computeIfAbsent(name, PostgresDatabase::pool);
    }

    private static DataSource pool(String name) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(Holder.SERVER.getDatabase("postgres", name));
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(0);
        config.setIdleTimeout(TimeUnit.SECONDS.toMillis(10)); // the server has one limit for all databases
        config.setInitializationFailTimeout(-1); // lest it open a connection and close it
        return new HikariDataSource(config);
    }

    private static final class Holder {
        private static final EmbeddedPostgres SERVER = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.builder()
                        .setServerConfig("fsync", "off")
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
