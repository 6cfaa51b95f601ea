package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The launcher in a small tree of its own, with a Maven and a JDK that only write down what they are asked for. */
@DisabledOnOs(OS.WINDOWS)
class LauncherIT {
    /** All that it may need besides a JDK and Maven. */
    private static final List<String> TOOLS = List.of(
            "awk",
            "cat",
            "cksum",
            "date",
            "dirname",
            "find",
            "grep",
            "mkdir",
            "mv",
            "nice",
            "readlink",
            "rm",
            "script",
            "sed",
            "sh",
            "sleep",
            "sort",
            "stty");

    private static final String MAVEN = """
            #!/bin/sh
            echo "$JAVA_HOME $*" >>maven-was-asked
            while [ -f held-at-start ]; do sleep 0.05; done
            mkdir -p spream-core/target spream-cli/target/lib
            echo '[INFO] Downloaded from central: https://repo.example/a.jar (1 kB at 1 kB/s)'
            echo '[INFO] Building spream core 0.1.0-SNAPSHOT                    [1/2]'
            echo '[INFO] --- maven-jar-plugin:3.5.1:jar (default-jar) @ spream-core ---'
            echo '[INFO] Building spream command line 0.1.0-SNAPSHOT            [2/2]'
            echo '[INFO] --- jar:3.5.1:jar (default-jar) @ spream-cli ---'
            while [ -f held-at-end ]; do sleep 0.05; done
            if [ -f broken ]; then
                echo '[ERROR] A.java: cannot find symbol'
                exit 1
            fi
            : >spream-cli/target/spream-cli-0.1.0-SNAPSHOT.jar
            """;

    private static final String JAVA = """
            #!/bin/sh
            for argument in "$@"; do
                case $argument in
                    -XX:AOTCacheOutput=* | -XX:ArchiveClassesAtExit=*)
                        for second in 1 2 3 4 5 6 7 8 9 10; do
                            [ ! -f archive-is-held ] || sleep 1
                        done
                        echo classes >"${argument#*=}"
                        ;;
                esac
            done
            printf '%s\\n' "$@"
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private Path home = Path.of("");
    private Path jdk = Path.of("");
    private Path path = Path.of("");

    @BeforeEach
    void make_a_tree() throws IOException {
        home = folder.resolve("a tree");
        write("spream", Files.readString(Path.of("../spream")));
        for (String file : List.of(
                "pom.xml",
                "spream-core/pom.xml",
                "spream-core/src/main/java/Core.java",
                "spream-core/src/main/java/Gone.java",
                "spream-core/src/test/java/CoreTest.java",
                "spream-sink-pubsub/src/main/java/Sink.java",
                "spream-cli/pom.xml",
                "spream-cli/src/main/java/Main.java")) {
            write(file, "");
        }
        path = Files.createDirectories(folder.resolve("path"));
        for (String tool : TOOLS) {
            Files.createSymbolicLink(path.resolve(tool), tool(tool));
        }
        program(path.resolve("mvn"), MAVEN);
        jdk = jdk("25.0.3");
    }

    /** An archive that is being made would come in the way of deleting the tree. */
    @AfterEach
    void end_what_runs_in_the_background() throws Exception {
        Files.deleteIfExists(home.resolve("archive-is-held"));
        await(() -> archives(file -> true).size() == archives().size());
    }

    @Test
    void the_first_start_builds_and_a_later_one_runs_at_once() throws Exception {
        Ended first = launch("tail", "--demo", "a  b");
        assertThat(first.out()).endsWith("dev.spream.cli.Main", "tail", "--demo", "a  b");
        assertThat(first.out())
                .contains(home.resolve("spream-cli/target/spream-cli-0.1.0-SNAPSHOT.jar") + ":"
                        + home.resolve("spream-cli/target/lib/*"));
        assertThat(first.err().getFirst()).startsWith("spream: building on first use");
        assertThat(first.err().getLast()).matches("spream: built in \\d+ s");
        assertThat(launch("--version").err()).isEmpty();
        assertThat(builds()).containsExactly(jdk + " -B -T1C -Dmaven.test.skip=true -pl spream-cli -am package");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "pom.xml",
                "spream-core/pom.xml",
                "spream-core/src/main/java/New.java",
                "spream-cli/src/main/java/Main.java"
            })
    void a_changed_source_file_has_the_command_built_again(String file) throws Exception {
        launch("--version");
        nextMoment();
        write(file, "changed");
        assertThat(launch("--version").err()).contains("spream: building what changed");
        assertThat(launch("--version").err()).isEmpty();
    }

    @Test
    void a_source_that_went_is_a_change() throws Exception {
        launch("--version");
        nextMoment();
        Files.delete(home.resolve("spream-core/src/main/java/Gone.java"));
        assertThat(launch("--version").err()).contains("spream: building what changed");
    }

    @Test
    void tests_and_modules_of_other_commands_are_no_reason_to_build() throws Exception {
        launch("--version");
        nextMoment();
        write("spream-core/src/test/java/CoreTest.java", "changed");
        write("spream-sink-pubsub/src/main/java/Sink.java", "changed");
        write("README.md", "changed");
        launch("--version");
        assertThat(builds()).hasSize(1);
    }

    @Test
    void without_a_terminal_each_module_is_a_line() throws Exception {
        write("held-at-end", "");
        Started started = start("--version");
        await(() -> Files.readString(started.err()).contains("2 of 2"));
        Files.delete(home.resolve("held-at-end"));
        assertThat(started.end().err())
                .anyMatch(line -> line.matches("\\d+ s: 1 of 2 modules, spream core, 1 files downloaded"))
                .anyMatch(line -> line.matches("\\d+ s: 2 of 2 modules, spream command line, 1 files downloaded"));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void on_a_terminal_one_line_is_updated_and_cleared() throws Exception {
        write("held-at-start", "");
        write("held-at-end", "");
        Started terminal = start(launcher("script", "-qec", "stty cols 133 <&1; ./spream --version", "/dev/null"));
        await(() -> Files.readString(terminal.out()).contains("starting Maven"));
        Files.delete(home.resolve("held-at-start"));
        await(() -> Files.readString(terminal.out()).contains("2 of 2"));
        Files.delete(home.resolve("held-at-end"));
        terminal.end();
        assertThat(Files.readString(terminal.out()))
                .containsPattern("\r\\d+ s: starting Maven\u001b\\[K\r\\d+ s: ")
                .containsPattern("\r\\d+ s: 2 of 2 modules, spream command line, 1 files downloaded\u001b\\[K\r")
                .containsPattern("\u001b\\[K\r\u001b\\[Kspream: built in")
                .contains("-Dspream.terminal=true")
                .contains("-Dspream.terminal.columns=133");
    }

    @Test
    void a_build_that_fails_says_why_and_is_repeated() throws Exception {
        write("broken", "");
        Ended failed = launch("--version");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).isEmpty();
        assertThat(failed.err()).contains("[ERROR] A.java: cannot find symbol");
        assertThat(failed.err().getLast()).contains("the build failed").contains("launcher-build.log");
        Files.delete(home.resolve("broken"));
        assertThat(launch("--version").exitCode()).isZero();
        assertThat(builds()).hasSize(2);
    }

    @Test
    void a_build_that_was_killed_is_repeated() throws Exception {
        write("held-at-end", "");
        Process killed = launcher("./spream", "--version").start();
        await(home.resolve("maven-was-asked"));
        List<ProcessHandle> orphans = killed.descendants().toList();
        killed.destroyForcibly().waitFor();
        Files.delete(home.resolve("held-at-end"));
        assertThat(launch("--version").exitCode()).isZero();
        assertThat(builds()).hasSize(2);
        await(() -> orphans.stream().noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void of_two_starts_at_once_one_builds() throws Exception {
        write("held-at-end", "");
        Started first = start("--version");
        await(home.resolve("maven-was-asked"));
        Started second = start("--version");
        await(() -> Files.readString(second.err()).contains("spream: waiting for another build of it"));
        Files.delete(home.resolve("held-at-end"));
        assertThat(first.end().exitCode()).isZero();
        assertThat(second.end().exitCode()).isZero();
        assertThat(builds()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"25.0.3, -XX:AOTCache=, -Xlog:aot*=off", "21.0.7, -XX:SharedArchiveFile=, -Xlog:cds*=off"})
    void later_starts_have_the_classes_of_the_first_in_an_archive(String version, String option, String silent)
            throws Exception {
        jdk = jdk(version);
        assertThat(launch("--version").out()).noneMatch(argument -> argument.startsWith(option));
        Path archive = awaitArchive();
        assertThat(launch("--version").out()).contains(option + archive, silent);
    }

    @Test
    void nothing_waits_for_the_archive() throws Exception {
        write("archive-is-held", "");
        Process process =
                launcher("./spream", "--version").redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        assertThat(archives()).isEmpty();
    }

    @Test
    void an_archive_whose_maker_was_killed_is_made_by_a_later_start() throws Exception {
        write("archive-is-held", "");
        launch("--version");
        Path maker = Path.of(archives(file -> true).getFirst() + ".maker");
        await(maker);
        ProcessHandle killed = ProcessHandle.of(
                        Long.parseLong(Files.readString(maker).strip()))
                .orElseThrow();
        killed.destroyForcibly();
        killed.onExit().get(10, TimeUnit.SECONDS);
        Files.delete(home.resolve("archive-is-held"));
        launch("--version");
        Path archive = awaitArchive();
        assertThat(launch("--version").out()).contains("-XX:AOTCache=" + archive);
    }

    @Test
    void an_archive_goes_with_what_it_was_made_of() throws Exception {
        launch("--version");
        awaitArchive();
        nextMoment();
        write("pom.xml", "changed");
        assertThat(launch("--version").out()).noneMatch(argument -> argument.startsWith("-XX:AOTCache"));
        awaitArchive();
        jdk = jdk("25.0.4");
        assertThat(launch("--version").out()).noneMatch(argument -> argument.startsWith("-XX:AOTCache"));
    }

    @Test
    void without_a_jdk_it_says_what_to_install() throws Exception {
        String launcher = Files.readString(home.resolve("spream"));
        write("spream", launcher.replaceAll("(?s)for candidate in /usr/lib/jvm.*?; do", "for candidate in; do"));
        jdk = jdk("17.0.15");
        Ended ended = launch("--version");
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err())
                .containsExactly(
                        "spream: no JDK 21 or newer found; set JAVA_HOME to one, or install it with Maven:",
                        "    Debian, Ubuntu:  sudo apt install openjdk-21-jdk-headless maven",
                        "    Fedora, RHEL:    sudo dnf install java-21-openjdk-devel maven",
                        "    macOS:           brew install openjdk maven",
                        "    SDKMAN!:         sdk install java && sdk install maven");
    }

    @Test
    void without_maven_it_says_what_to_install() throws Exception {
        Files.delete(path.resolve("mvn"));
        Ended ended = launch("--version");
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.err())
                .containsExactly(
                        "spream: mvn is not on the PATH; install Maven 3.8 or newer, which builds spream on first use:",
                        "    Debian, Ubuntu:  sudo apt install maven",
                        "    Fedora, RHEL:    sudo dnf install maven",
                        "    macOS:           brew install maven",
                        "    SDKMAN!:         sdk install maven");
    }

    /** The output and the exit code of a start. */
    private record Ended(int exitCode, List<String> out, List<String> err) {}

    /** A start that may still run, and the files of its output. */
    private record Started(Process process, Path out, Path err) {
        Ended end() throws Exception {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return new Ended(
                    process.exitValue(),
                    Files.readString(out).lines().toList(),
                    Files.readString(err).lines().toList());
        }
    }

    private Ended launch(String... arguments) throws Exception {
        return start(arguments).end();
    }

    private Started start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("./spream"));
        command.addAll(List.of(arguments));
        return start(launcher(command.toArray(String[]::new)));
    }

    private Started start(ProcessBuilder launcher) throws IOException {
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        return new Started(
                launcher.redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start(),
                out,
                err);
    }

    private ProcessBuilder launcher(String... command) {
        ProcessBuilder builder = new ProcessBuilder(command).directory(home.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", path.toString());
        builder.environment().put("JAVA_HOME", jdk.toString());
        builder.environment().put("SHELL", path.resolve("sh").toString());
        return builder;
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(home.resolve("maven-was-asked"));
    }

    private Path jdk(String version) throws IOException {
        Path made = folder.resolve("jdk " + version);
        program(made.resolve("bin/java"), JAVA);
        program(made.resolve("bin/javac"), "");
        Files.writeString(made.resolve("release"), "JAVA_VERSION=\"%s\"\n".formatted(version));
        return made;
    }

    private void write(String file, String text) throws IOException {
        program(home.resolve(file), text);
    }

    private static void program(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static Path tool(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(entry -> Path.of(entry, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    /** The time of a file may be that of the tick before. */
    private void nextMoment() throws IOException {
        Path stamp = home.resolve("spream-cli/target/launcher-built");
        Path probe = home.resolve("probe");
        do {
            Files.writeString(probe, "");
        } while (Files.getLastModifiedTime(probe).compareTo(Files.getLastModifiedTime(stamp)) <= 0);
    }

    /** Those that are complete. */
    private List<Path> archives() throws IOException {
        return archives(file -> file.length() > 0);
    }

    private List<Path> archives(Predicate<File> choice) throws IOException {
        File[] files =
                home.resolve("spream-cli/target").toFile().listFiles((folder, name) -> name.endsWith(".archive"));
        return Stream.ofNullable(files)
                .flatMap(Stream::of)
                .filter(choice)
                .map(File::toPath)
                .toList();
    }

    private Path awaitArchive() throws Exception {
        await(() -> !archives().isEmpty());
        return archives().getFirst();
    }

    private static void await(Path file) throws Exception {
        await(() -> file.toFile().length() > 0);
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        for (int i = 0; i < 3000 && !condition.call(); i++) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(condition.call()).isTrue();
    }
}
