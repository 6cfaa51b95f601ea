package dev.spream.interop;

import com.google.cloud.spanner.DatabaseId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's connector in a process of its own, with the class path that Maven resolved for it. Its log is kept in the build
 * directory.
 */
final class DebeziumProcess implements AutoCloseable {
    /** The name that the program gives the connector. */
    static final String NAME = "debezium";

    private final Process process;
    private final Path log;
    private final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();

    private DebeziumProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        Thread.ofVirtual().name("debezium-output").start(this::read);
    }

    /**
     * A message of a table.
     *
     * @param value null for a tombstone
     */
    record Message(String key, @Nullable String value) {}

    /** Starts it; Kafka has its files in that folder, which is empty. */
    static DebeziumProcess start(String host, DatabaseId database, String stream, Instant start, Path folder)
            throws IOException {
        Path classPath = Path.of(System.getProperty("debezium.classpath"));
        String classes = classPath.resolveSibling("classes") + ":"
                + Files.readString(classPath).trim();
        Path log = classPath.resolveSibling("debezium-%s.log".formatted(stream));
        ProcessBuilder command = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-cp",
                        classes,
                        "dev.spream.interop.debezium.DebeziumMessages",
                        "host=" + host,
                        "project=" + database.getInstanceId().getProject(),
                        "instance=" + database.getInstanceId().getInstance(),
                        "database=" + database.getDatabase(),
                        "stream=" + stream,
                        "start=" + start,
                        "folder=" + folder))
                .redirectError(log.toFile());
        command.environment().put("SPANNER_DISABLE_BUILTIN_METRICS", "true");
        return new DebeziumProcess(command.start(), log);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (@Nullable String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] parts = line.split("\t", -1);
                if (parts.length == 3 && parts[0].startsWith(NAME + ".")) {
                    messages.add(new Message(parts[1], parts[2].equals("null") ? null : parts[2]));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the next message. */
    Message next(Duration timeout) throws InterruptedException {
        Message message = messages.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (message == null) {
            throw new AssertionError("no message of Debezium within %s, see %s".formatted(timeout, log));
        }
        return message;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }
}
