package dev.spream.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline of Apache Beam that reads a change stream, in a process of its own, with the class path that Maven resolved for
 * it. Its log is kept in the build directory.
 */
final class BeamProcess implements AutoCloseable {
    private static final Pattern ID = Pattern.compile("account-\\d+");

    private final Process process;
    private final Path log;
    private final Deliveries deliveries = new Deliveries();
    private final Thread reader;

    private BeamProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.reader = Thread.ofVirtual().name("beam-output").start(this::read);
    }

    /** Starts it; it keeps what it knows in that table, and makes the table if there is none. */
    static BeamProcess start(AccountStream stream, String table, Instant start) throws IOException {
        Path classPath = Path.of(System.getProperty("beam.classpath"));
        String classes = classPath.resolveSibling("classes") + ":"
                + Files.readString(classPath).trim();
        Path log = classPath.resolveSibling("beam-%s-%s.log".formatted(stream.label(), table));
        var database = stream.database();
        ProcessBuilder command = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classes,
                        "dev.spream.interop.beam.BeamPipeline",
                        "host=" + stream.server().emulatorHost(),
                        "project=" + database.project(),
                        "instance=" + database.instance(),
                        "database=" + database.database(),
                        "stream=" + AccountStream.NAME,
                        "table=" + table,
                        "start=" + start))
                .redirectError(log.toFile());
        // Emulators without multiplexed sessions fail the read-write transactions of clients that use them.
        command.environment().put("GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW", "false");
        command.environment().put("SPANNER_DISABLE_BUILTIN_METRICS", "true");
        return new BeamProcess(command.start(), log);
    }

    private void read() {
        try (BufferedReader lines = process.inputReader()) {
            for (@Nullable String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher id = ID.matcher(line);
                if (id.find()) {
                    deliveries.add(id.group());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            deliveries.end();
        }
    }

    Deliveries deliveries() {
        return deliveries;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** For messages: where to look why it did not do what was expected. */
    Path log() {
        return log;
    }

    /** Ends it as {@code kill -9} does, in the middle of whatever it is doing, and takes what it had printed. */
    void kill() throws InterruptedException {
        // Process.destroyForcibly would close the pipe with what is still in it.
        process.toHandle().destroyForcibly();
        process.waitFor();
        reader.join();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
