package dev.spream.benchmarks.harness;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;

/** A PostgreSQL server started by this JVM. */
public final class Postgres implements AutoCloseable {
    private final EmbeddedPostgres server;

    /** Starts a server that does not wait for the disk. */
    public Postgres() throws IOException {
        this(false);
    }

    /** @param durable whether it waits for the disk at each commit, as production servers do */
    public Postgres(boolean durable) throws IOException {
        server = EmbeddedPostgres.builder()
                .setServerConfig("fsync", durable ? "on" : "off")
                .setServerConfig("synchronous_commit", durable ? "on" : "off")
                .start();
    }

    public String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    public static HikariDataSource pool(String url) {
        return pool(url, 4);
    }

    public static HikariDataSource pool(String url, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(connections);
        return new HikariDataSource(config);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
