package dev.spream.cli;

import dev.spream.servers.JavaCommand;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The command line in a process of its own, as a user starts it. */
public final class SpreamProcess implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String HTTP = "http: ";

    private final Process process;
    private final Lines out;
    private final Lines err;

    private SpreamProcess(Process process) {
        this.process = process;
        this.out = new Lines(process.getInputStream());
        this.err = new Lines(process.getErrorStream());
    }

    /** The command line, with no emulator in its environment. */
    public static SpreamProcess spream(String... arguments) throws IOException {
        return start(Optional.empty(), arguments);
    }

    /** The command line, with that emulator in its environment. */
    static SpreamProcess spreamOn(String emulatorHost, String... arguments) throws IOException {
        return start(Optional.of(emulatorHost), arguments);
    }

    private static SpreamProcess start(Optional<String> emulatorHost, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(command());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().remove("SPANNER_EMULATOR_HOST");
        emulatorHost.ifPresent(host -> builder.environment().put("SPANNER_EMULATOR_HOST", host));
        return start(builder);
    }

    static SpreamProcess start(ProcessBuilder builder) throws IOException {
        return new SpreamProcess(builder.start());
    }

    public static List<String> command() {
        return command(ClassArchive.options());
    }

    static List<String> command(List<String> options) {
        List<String> all = new ArrayList<>(options);
        all.add("-Xmn16m"); // it collects often, in the same few pages
        return JavaCommand.of(classPath(), Main.class, all.toArray(String[]::new));
    }

    /** That of the launcher: what the test itself needs would get in the way. */
    static String classPath() {
        return classes() + File.pathSeparator + Path.of("target", "lib").toAbsolutePath() + File.separator + "*";
    }

    /** The jar of the command line, or the folder of its classes where it is not packed yet. */
    static Path classes() {
        try {
            return Path.of(Main.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.toHandle().destroy(); // the process's own destroy() would close its outputs
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for the end, and returns the exit code. */
    public int exitCode() throws InterruptedException {
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running after %s; output %s; errors %s".formatted(TIMEOUT, out(), err()));
        }
        out.awaitEnd();
        err.awaitEnd();
        return process.exitValue();
    }

    public List<String> out() {
        return out.all();
    }

    public List<String> err() {
        return err.all();
    }

    /** Waits for so many lines on the standard output. */
    List<String> awaitOut(int count) throws InterruptedException {
        return out.await(count, this);
    }

    /** Waits for so many lines on the standard error. */
    List<String> awaitErr(int count) throws InterruptedException {
        return err.await(count, this);
    }

    /** Waits until it says on the standard error where it answers to HTTP, and returns that. */
    public URI awaitHttp() throws InterruptedException {
        for (int lines = 1; ; lines++) {
            String line = awaitErr(lines).get(lines - 1);
            if (line.startsWith(HTTP)) {
                return URI.create(line.substring(HTTP.length()));
            }
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The lines of a stream, collected as they come. */
    private static final class Lines {
        private final List<String> lines = new ArrayList<>(); // guarded by this, like ended
        private final Thread reader;
        private boolean ended;

        Lines(InputStream in) {
            reader = Thread.ofVirtual().start(() -> collect(in));
        }

        private void collect(InputStream in) {
            try (BufferedReader text = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                for (String line = text.readLine(); line != null; line = text.readLine()) {
                    add(line);
                }
            } catch (IOException e) {
                if (!String.valueOf(e.getMessage()).contains("closed")) {
                    throw new UncheckedIOException(e);
                }
            } finally {
                end();
            }
        }

        private synchronized void add(String line) {
            lines.add(line);
            notifyAll();
        }

        private synchronized void end() {
            ended = true;
            notifyAll();
        }

        synchronized List<String> all() {
            return List.copyOf(lines);
        }

        synchronized List<String> await(int count, SpreamProcess process) throws InterruptedException {
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (lines.size() < count) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (ended || left <= 0) {
                    throw new AssertionError(
                            "%d lines expected, got %s; errors %s".formatted(count, lines, process.err()));
                }
                wait(left);
            }
            return List.copyOf(lines);
        }

        void awaitEnd() throws InterruptedException {
            reader.join();
        }
    }
}
