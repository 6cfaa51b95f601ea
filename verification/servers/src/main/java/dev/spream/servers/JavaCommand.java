package dev.spream.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command of a short-lived program in a JVM of its own. */
public final class JavaCommand {
    /** False if the system has none: a JVM that asks for them would write a warning to its output. */
    private static final boolean LARGE_PAGES = hasLargePages();

    private JavaCommand() {}

    /**
     * Returns a command with the class path of the tests, whose classes are not verified; the caller adds the program's
     * arguments.
     */
    public static List<String> of(Class<?> program, String... options) {
        List<String> all = new ArrayList<>(List.of("-XX:-BytecodeVerificationRemote"));
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
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:ArchiveRelocationMode=0", // else it alters each page of its archive of classes
                LARGE_PAGES ? "-XX:+UseTransparentHugePages" : "-XX:-UseTransparentHugePages",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", classPath, program.getName()));
        return command;
    }

    private static boolean hasLargePages() {
        try {
            return !Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))
                    .contains("[never]");
        } catch (IOException e) {
            return false; // not Linux
        }
    }
}
