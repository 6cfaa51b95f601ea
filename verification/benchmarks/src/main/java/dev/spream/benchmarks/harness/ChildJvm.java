package dev.spream.benchmarks.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program of this class path in a JVM of its own. It ends when it is closed, and {@linkplain #awaitParent by itself}
 * when this JVM dies. Confined to one thread.
 */
public final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    public static ChildJvm start(Class<?> program, List<String> jvmFlags, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Options for JDK 24 and later, required by netty and protobuf.
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"));
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(jvmFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(arguments));
        return new ChildJvm(
                new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
    }

    /** Returns when the JVM that started this one has ended; for programs that serve requests. */
    public static void awaitParent() throws IOException {
        System.in.transferTo(OutputStream.nullOutputStream());
    }

    /** Returns its standard output. */
    public BufferedReader output() {
        return output;
    }

    /** Returns the next line of its output, such as the address of a server. */
    public String nextLine() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("the child JVM ended without output; see its standard error");
        }
        return line;
    }

    /** Waits for its end and returns the exit code. */
    public int exitCode() throws InterruptedException {
        return process.waitFor();
    }

    /** Ends it at once, as {@code kill -9} does, and waits until it has ended. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
