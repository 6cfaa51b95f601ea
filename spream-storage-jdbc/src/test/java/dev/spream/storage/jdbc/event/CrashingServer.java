package dev.spream.storage.jdbc.event;

import static dev.spream.storage.jdbc.event.TestEvents.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** A server for one test, which flushes nothing by itself, and loses in a crash everything that was not flushed. */
final class CrashingServer implements AutoCloseable {
    private final EmbeddedPostgres server;

    /** {@code synchronousCommit} is that of all sessions. */
    CrashingServer(String synchronousCommit) throws IOException {
        this.server = EmbeddedPostgres.builder()
                .setServerConfig("synchronous_commit", synchronousCommit)
                .setServerConfig("wal_writer_delay", "10s")
                .setServerConfig("autovacuum", "off")
                .setServerConfig("restart_after_crash", "on")
                .start();
    }

    DataSource dataSource() {
        return server.getPostgresDatabase();
    }

    /**
     * The server ends all sessions, loses its memory and recovers from its log when one of its processes is killed.
     * The killed process ends before the server notices it, and the server accepts connections until then: the end of
     * another session shows that it has noticed.
     */
    void crash() throws SQLException {
        try (Connection witness = dataSource().getConnection();
                Connection victim = dataSource().getConnection()) {
            int pid = victim.unwrap(PGConnection.class).getBackendPID();
            ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            long deadline = System.nanoTime() + SOON.toNanos();
            while (witness.isValid(1)) {
                assertThat(System.nanoTime() - deadline)
                        .as("the sessions continue")
                        .isNegative();
            }
        }
        awaitRecovery();
    }

    private void awaitRecovery() {
        long deadline = System.nanoTime() + SOON.toNanos();
        while (System.nanoTime() < deadline) {
            try (Connection connection = dataSource().getConnection()) {
                if (connection.isValid(1)) {
                    return;
                }
            } catch (SQLException e) {
                LockSupport.parkNanos(5_000_000); // it recovers
            }
        }
        fail("the server did not come back");
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
