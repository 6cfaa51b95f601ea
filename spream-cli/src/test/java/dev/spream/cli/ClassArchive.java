package dev.spream.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive of the classes that the command line loads. A process takes half the processor time to start with it. JUnit has it
 * made before the first test, where Maven has packed the classes: an archive holds classes of jars alone. Without an archive all
 * processes start from their jars. An ahead-of-time cache saves no more, and takes half as much time again to make.
 */
public final class ClassArchive implements TestExecutionListener {
    private static final Logger log = LoggerFactory.getLogger(ClassArchive.class);
    private static final long TIMEOUT_SECONDS = 240;
    private static final int JDK = Runtime.version().feature();
    private static final Path ARCHIVE =
            Path.of("target", "commands-%d.archive".formatted(JDK)).toAbsolutePath();

    @Override
    public void testPlanExecutionStarted(TestPlan plan) {
        try {
            Path packed = SpreamProcess.classes();
            if (Files.isRegularFile(packed) && !isUpToDate(packed)) {
                make();
            }
        } catch (IOException e) {
            log.warn("no archive of classes was made; all processes start from their jars", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the options for the JVM of a process. */
    static List<String> options() {
        return Options.OF_A_JVM;
    }

    private static boolean isUpToDate(Path packed) throws IOException {
        if (!Files.isRegularFile(packed) || !Files.exists(ARCHIVE)) {
            return false;
        }
        try (Stream<Path> libraries = Files.list(ARCHIVE.resolveSibling("lib"))) {
            long made = ARCHIVE.toFile().lastModified();
            return Stream.concat(Stream.of(packed), libraries)
                    .allMatch(jar -> jar.toFile().lastModified() <= made);
        }
    }

    /** Records what a short demo loads. */
    private static void make() throws IOException, InterruptedException {
        Path made = ARCHIVE.resolveSibling("commands.archive.made");
        Files.deleteIfExists(made);
        List<String> command = new ArrayList<>(SpreamProcess.command(List.of("-XX:ArchiveClassesAtExit=" + made)));
        command.addAll(List.of("tail", "--demo", "--transactions", "20", "--duration", "1s"));
        ProcessBuilder demo = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ARCHIVE.resolveSibling("commands.log").toFile());
        demo.environment().remove("SPANNER_EMULATOR_HOST");
        Process recording = demo.start();
        try {
            boolean ended = recording.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (ended && recording.exitValue() == 0 && Files.exists(made)) {
                Files.move(made, ARCHIVE, StandardCopyOption.REPLACE_EXISTING);
            } else {
                log.warn(
                        "no archive of classes was made, see target/commands.log; all processes start from their jars");
            }
        } finally {
            recording.destroyForcibly();
        }
    }

    private static final class Options {
        private static final List<String> OF_A_JVM = ofJvm();

        private static List<String> ofJvm() {
            try {
                return isUpToDate(SpreamProcess.classes())
                        ? List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:disable")
                        : List.of();
            } catch (IOException e) {
                return List.of();
            }
        }
    }
}
