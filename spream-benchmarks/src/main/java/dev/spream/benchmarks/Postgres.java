package dev.spream.benchmarks;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;

/** A PostgreSQL server of this JVM's own, which waits for no disk. */
final class Postgres implements AutoCloseable {
    private final EmbeddedPostgres server;

    Postgres() throws IOException {
        server = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    }

    String url() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(4);
        return new HikariDataSource(config);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
