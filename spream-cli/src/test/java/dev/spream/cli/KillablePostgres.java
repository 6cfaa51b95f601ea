package dev.spream.cli;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A PostgreSQL of a trial's own that is killed with {@code kill -9} and started again on its port, over its data. Only the
 * first process, the postmaster, is killed; the others end when they notice its death, and until then the server refuses to start.
 */
final class KillablePostgres implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final EmbeddedPostgres server;
    private final Path data;
    private final List<String> command = new ArrayList<>();

    KillablePostgres(Path folder) throws IOException {
        this.data = folder.resolve("data");
        this.server = EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setServerConfig("fsync", "off") // the kernel survives, and has what was written
                .setServerConfig("synchronous_commit", "off") // commits that do not ask for more are forgotten
                .start();
        ProcessHandle.Info info = postmaster().info();
        if (LinuxUtils.isUnshareAvailable()) { // PostgreSQL refuses to run as root
            command.addAll(List.of("unshare", "-U"));
        }
        command.add(info.command().orElseThrow());
        command.addAll(List.of(info.arguments().orElseThrow()));
    }

    String jdbcUrl() {
        return server.getJdbcUrl("postgres", "postgres");
    }

    void kill() throws IOException {
        ProcessHandle postmaster = postmaster();
        postmaster.destroyForcibly();
        postmaster.onExit().orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Starts the killed server again; it accepts connections when this returns. */
    void restart() throws IOException {
        Process process = start();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!acceptsConnections()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("the server does not start again");
            }
            if (!process.isAlive()) {
                process = start();
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    private Process start() throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private boolean acceptsConnections() {
        try (Connection connection = server.getPostgresDatabase().getConnection()) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    private ProcessHandle postmaster() throws IOException {
        try (var lines = Files.lines(data.resolve("postmaster.pid"))) {
            return ProcessHandle.of(Long.parseLong(lines.findFirst().orElseThrow()))
                    .orElseThrow();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
