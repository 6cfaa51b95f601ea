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
 * A program in a JVM of its own. It ends when it is closed, and {@linkplain #awaitParent by itself}
 * when this JVM dies. Confined to one thread.
 */
public final class ChildJvm implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts a program of this class path; its errors are shown. */
    public static ChildJvm start(Class<?> program, List<String> jvmFlags, String... arguments) throws IOException {
        return new ChildJvm(
                command(System.getProperty("java.class.path"), program.getName(), jvmFlags, List.of(arguments))
                        .redirectError(Redirect.INHERIT)
                        .start());
    }

    /** Starts a program of another class path; all its output goes into a file. */
    public static ChildJvm start(
            String classPath, String program, Path log, List<String> jvmFlags, List<String> arguments)
            throws IOException {
        ProcessBuilder command =
                command(classPath, program, jvmFlags, arguments).redirectErrorStream(true);
        return new ChildJvm(command.redirectOutput(log.toFile()).start());
    }

    private static ProcessBuilder command(
            String classPath, String program, List<String> jvmFlags, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Options for JDK 24 and later, required by netty and protobuf.
        command.addAll(List.of("-XX:+IgnoreUnrecognizedVMOptions", "--enable-native-access=ALL-UNNAMED"));
        command.add("--sun-misc-unsafe-memory-access=allow");
        command.addAll(jvmFlags);
        command.addAll(List.of("-cp", classPath, program));
        command.addAll(arguments);
        return new ProcessBuilder(command);
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

    public boolean isAlive() {
        return process.isAlive();
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
