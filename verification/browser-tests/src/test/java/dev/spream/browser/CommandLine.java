package dev.spream.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The {@code spream} command in a process of its own, as a user starts it, showing itself on a free port. */
final class CommandLine implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final String ADDRESS = "http: ";

    private final Process process;
    private final CompletableFuture<URI> page = new CompletableFuture<>();
    private final List<String> said = new ArrayList<>(); // guarded by itself
    private final Thread reader;

    private CommandLine(Process process) {
        this.process = process;
        this.reader = Thread.ofVirtual().start(() -> listen(process.getErrorStream()));
    }

    static CommandLine start(String... arguments) throws IOException {
        Path target = Path.of(System.getProperty("command.line", "../spream-cli/target"));
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                target.resolve("classes") + File.pathSeparator + target.resolve("lib") + File.separator + "*",
                "dev.spream.cli.Main"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--http", "0"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().remove("SPANNER_EMULATOR_HOST");
        return new CommandLine(builder.start());
    }

    private void listen(InputStream errors) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(errors, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (said) {
                    said.add(line);
                }
                if (line.startsWith(ADDRESS)) {
                    page.complete(URI.create(line.substring(ADDRESS.length())));
                }
            }
        } catch (IOException e) {
            // The process was killed, which ends what it says.
        }
        page.completeExceptionally(new AssertionError("it ended without an address; it said " + said()));
    }

    /** Returns the address of its page, as soon as it is printed. */
    URI page() throws Exception {
        return page.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    /** The lines of its standard error so far. */
    List<String> said() {
        synchronized (said) {
            return List.copyOf(said);
        }
    }

    /** Sends SIGTERM. */
    void terminate() {
        process.toHandle().destroy(); // the process's own destroy() would close its outputs
    }

    /** Waits for the end, and returns the exit code. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("still running after %s; it said %s".formatted(TIMEOUT, said()));
        }
        reader.join();
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
