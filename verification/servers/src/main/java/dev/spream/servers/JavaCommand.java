package dev.spream.servers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command of a program in a JVM of its own, which lives for seconds. */
public final class JavaCommand {
    private JavaCommand() {}

    /** On the class path of the tests. Arguments of the program are to be added. */
    public static List<String> of(Class<?> program, String... options) {
        return of(
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                program,
                options);
    }

    /** On a class path of its own. Arguments of the program are to be added. */
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
