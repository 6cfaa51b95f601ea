package dev.spream.storage.jdbc;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The server that all tests of a JVM share, started when it is first asked for; it ends with the JVM. */
public final class PostgresServer {
    private PostgresServer() {}

    public static EmbeddedPostgres shared() {
        return Holder.SHARED;
    }

    /** A server of a test's own, which closes it. */
    public static EmbeddedPostgres start() {
        try {
            return EmbeddedPostgres.builder()
                    .setServerConfig("fsync", "off")
                    .setServerConfig("autovacuum", "off") // it alters databases that tests could use again
                    .setServerConfig("max_connections", "300") // databases that no test uses keep sessions
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Holder {
        private static final EmbeddedPostgres SHARED = start();
    }
}
