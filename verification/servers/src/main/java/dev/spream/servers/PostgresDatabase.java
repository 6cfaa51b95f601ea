package dev.spream.servers;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** An empty database of the PostgreSQL that the tests of a JVM share, which ends with the JVM. */
public record PostgresDatabase(String name) {
    private static final AtomicInteger DATABASES = new AtomicInteger();

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

    public DataSource source() {
        return Holder.SERVER.getDatabase("postgres", name);
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
