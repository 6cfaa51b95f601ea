package dev.spream.servers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command of a short-lived program in a JVM of its own. */
public final class JavaCommand {
    private JavaCommand() {}

    /**
     * Returns a command with the class path of the tests, whose classes are not verified; the caller adds the program's
     * arguments.
     */
    public static List<String> of(Class<?> program, String... options) {
        List<String> all =
                new ArrayList<>(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
        all.addAll(List.of(options));
        return of(
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                program,
                all.toArray(String[]::new));
    }

    /** Returns a command with the given class path; the caller adds the program's arguments. */
    public static List<String> of(String classPath, Class<?> program, String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+IgnoreUnrecognizedVMOptions",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath, program.getName()));
        return command;
    }
}
