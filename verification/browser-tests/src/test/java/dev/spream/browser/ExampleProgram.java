package dev.spream.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program of the examples in a process of its own, on free ports, with nothing of this environment that configures it. */
final class ExampleProgram implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final Pattern PAGE = Pattern.compile("search page at (http://\\S+/)");

    private final Process process;
    private final CompletableFuture<URI> page = new CompletableFuture<>();
    private final List<String> said = new ArrayList<>(); // guarded by itself
    private final Thread reader;

    private ExampleProgram(Process process) {
        this.process = process;
        this.reader = Thread.ofVirtual().start(this::listen);
    }

    static ExampleProgram start(String main) throws IOException {
        Path target = Path.of(System.getProperty("examples", "../spream-examples/target"));
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+IgnoreUnrecognizedVMOptions",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        target.resolve("classes") + File.pathSeparator + target.resolve("lib") + File.separator + "*",
                        main,
                        "--port",
                        "0",
                        "--management-port",
                        "0")
                .redirectErrorStream(true);
        builder.environment()
                .keySet()
                .removeIf(
                        name -> name.matches(
                                "(DATABASE|EVENT_STORE|VOCABULARY|MANAGEMENT|MEILISEARCH|SEARCH|BATCH|PUBSUB|SPANNER|SPREAM)_.*"));
        return new ExampleProgram(builder.start());
    }

    private void listen() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (said) {
                    said.add(line);
                }
                Matcher matcher = PAGE.matcher(line);
                if (matcher.find()) {
                    page.complete(URI.create(matcher.group(1)));
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

    /** Lets it end, with the database that it has started. */
    @Override
    public void close() throws InterruptedException {
        terminate();
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
