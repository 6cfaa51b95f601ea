package dev.spream.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * The classes that the command line loads, in an archive, with which each of its processes takes about half the processor time to
 * start. The first test that starts one makes it, where Maven has packed them: it holds classes of jars alone.
 */
final class ClassArchive {
    private static final int JDK = Runtime.version().feature();
    private static final boolean AHEAD_OF_TIME = JDK >= 25;
    private static final Path ARCHIVE =
            Path.of("target", "commands-%d.archive".formatted(JDK)).toAbsolutePath();

    /** For the JVM of a process; none where there is no archive. */
    static final List<String> OPTIONS = options();

    private ClassArchive() {}

    private static List<String> options() {
        Path packed = SpreamProcess.classes();
        if (!Files.isRegularFile(packed)) {
            return List.of();
        }
        try {
            if (isOlderThan(packed)) {
                make();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the archive of classes was made", e);
        }
        String option = AHEAD_OF_TIME ? "-XX:AOTCache=" : "-XX:SharedArchiveFile=";
        return Files.exists(ARCHIVE) ? List.of(option + ARCHIVE, "-Xlog:disable") : List.of();
    }

    private static boolean isOlderThan(Path packed) throws IOException {
        try (Stream<Path> libraries = Files.list(ARCHIVE.resolveSibling("lib"))) {
            long made = ARCHIVE.toFile().lastModified();
            return Stream.concat(Stream.of(packed), libraries)
                    .anyMatch(jar -> jar.toFile().lastModified() > made);
        }
    }

    private static void make() throws IOException, InterruptedException {
        Path made = ARCHIVE.resolveSibling("commands.archive.made");
        String option = AHEAD_OF_TIME ? "-XX:AOTCacheOutput=" : "-XX:ArchiveClassesAtExit=";
        List<String> command = SpreamProcess.command(List.of(option + made));
        ProcessBuilder demo = new ProcessBuilder(
                Stream.concat(command.stream(), Stream.of("tail", "--demo", "--transactions", "20", "--duration", "1s"))
                        .toList());
        demo.environment().remove("SPANNER_EMULATOR_HOST");
        demo.redirectErrorStream(true)
                .redirectOutput(ARCHIVE.resolveSibling("commands.log").toFile());
        if (demo.start().waitFor() == 0 && Files.exists(made)) {
            Files.move(made, ARCHIVE, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
