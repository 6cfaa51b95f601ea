package dev.spream.cli;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** The PostgreSQL that tests of a JVM share, with a database for each; it ends with the JVM. */
final class PostgresServer {
    private static final AtomicInteger DATABASES = new AtomicInteger();

    private PostgresServer() {}

    /** The JDBC URL of a new database. */
    static String newDatabase() {
        String name = "test_%d".formatted(DATABASES.incrementAndGet());
        try (Connection connection = Holder.SERVER.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE " + name);
            return Holder.SERVER.getJdbcUrl("postgres", name);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
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
