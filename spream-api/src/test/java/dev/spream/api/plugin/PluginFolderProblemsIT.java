package dev.spream.api.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConsumerProvider;
import dev.spream.testkit.plugin.PluginJar;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the messages about a plug-in folder with a broken jar or folder. */
final class PluginFolderProblemsIT {
    @TempDir
    private Path temp;

    private FolderWithASink folder;

    @BeforeEach
    void makeFolder() {
        folder = new FolderWithASink(temp);
    }

    @Test
    void a_folder_that_is_not_there() {
        assertThat(problemsIn(temp.resolve("elsewhere")))
                .containsExactly(temp.resolve("elsewhere")
                        + ": the plug-in folder does not exist; create the folder, or configure another one");
    }

    @Test
    void a_folder_with_a_name_of_several_lines() {
        assertThat(problemsIn(Path.of("gone\nERROR forged\u001b[2J")))
                .containsExactly(
                        "gone?ERROR forged?[2J: the plug-in folder does not exist; create the folder, or configure"
                                + " another one");
    }

    @Test
    void a_folder_that_is_a_file() {
        Path jar = folder.resolve("sound.jar");
        assertThat(problemsIn(jar))
                .containsExactly(
                        jar + ": the plug-in folder is not a folder; create the folder, or configure another one");
    }

    @Test
    void the_same_jar_twice() throws Exception {
        Files.copy(folder.resolve("sound.jar"), folder.resolve("copy.jar"));
        try (PluginRegistry registry = folder.discover(getClass().getClassLoader())) {
            assertThat(registry.problems())
                    .containsExactly(
                            "sink sound exists 2 times, so none is used: %s and %s; they are copies of one jar: keep one of them"
                                    .formatted(folder.resolve("copy.jar"), folder.resolve("sound.jar")));
            assertThat(registry.find(ConsumerProvider.PORT, "sound")).isEmpty();
            assertThat(registry.find(ConsumerProvider.class, "sound")).isEmpty();
        }
    }

    @Test
    void two_plug_ins_of_one_name() {
        Path own = folder.resolve("other");
        ExampleSinks.sink("sound").entry("more.txt", "more").writeTo(own.resolve("other.jar"));
        assertThat(problemsIn(folder.path()))
                .containsExactly(
                        "sink sound exists 2 times, so none is used: %s and %s; keep one of them, or rename the others"
                                .formatted(own, folder.resolve("sound.jar")));
    }

    @Test
    void one_on_the_class_path_and_one_in_the_folder() throws Exception {
        Path jar = ExampleSinks.sink("sound").entry("more.txt", "more").writeTo(temp.resolve("host.jar"));
        try (URLClassLoader host = over(jar);
                PluginRegistry registry = folder.discover(host)) {
            assertThat(registry.problems()).singleElement().asString().contains(jar + " and " + folder.path());
        }
    }

    @Test
    void jars_that_are_broken() throws Exception {
        Path truncated = folder.resolve("truncated.jar");
        byte[] whole = Files.readAllBytes(folder.resolve("sound.jar"));
        Files.write(truncated, Arrays.copyOf(whole, whole.length / 2));
        Path noZip = Files.writeString(folder.resolve("no-zip.jar"), "not found", UTF_8);
        Path empty = Files.createFile(folder.resolve("empty.jar"));
        Path nowhere = Files.createSymbolicLink(folder.resolve("nowhere.jar"), temp.resolve("gone.jar"));
        assertThat(folder.problems())
                .hasSize(4)
                .anyMatch(problem -> problem.startsWith(truncated + ": the jar is corrupt ("))
                .anyMatch(problem -> problem.startsWith(noZip + ": the jar is corrupt ("))
                .anyMatch(problem -> problem.startsWith(empty + ": the jar is corrupt ("))
                .anyMatch(problem -> problem.equals(nowhere + ": the link is broken; restore its target, or remove it"))
                .filteredOn(problem -> problem.contains("is corrupt"))
                .allMatch(problem -> problem.endsWith("; copy it again"));
    }

    @Test
    void a_broken_library_beside_a_plug_in() throws Exception {
        Path own = folder.resolve("csv");
        ExampleSinks.sink("csv").writeTo(own.resolve("csv.jar"));
        Files.writeString(own.resolve("lib.jar"), "no zip", UTF_8);
        assertThat(folder.problems())
                .singleElement()
                .asString()
                .startsWith(own.resolve("lib.jar") + ": the jar is corrupt (");
    }

    @Test
    void a_library_that_was_dropped_by_mistake() {
        Path jar = ExampleSinks.library("1").writeTo(folder.resolve("lib.jar"));
        assertThat(folder.problems())
                .containsExactly(
                        jar
                                + ": contains no plug-in; a plug-in names its provider in META-INF/services, and a library belongs into one subfolder of the plug-in folder with the plug-in that needs it");
    }

    @Test
    void a_fat_jar_that_carries_nothing_but_providers_of_the_host() throws Exception {
        Path hostJar = ExampleSinks.sink("host").writeTo(temp.resolve("host.jar"));
        Path jar = PluginJar.empty()
                .copyOf(ConsumerProvider.class)
                .service(ConsumerProvider.class, "dev.spream.api.plugin.SinkOfHost")
                .writeTo(folder.resolve("fat.jar"));
        try (URLClassLoader host = over(hostJar);
                PluginRegistry registry = folder.discover(host)) {
            assertThat(registry.find(ConsumerProvider.PORT, "of-host")).isEmpty();
            assertThat(registry.problems()).singleElement().asString().startsWith(jar + ": contains no plug-in; ");
        }
    }

    @Test
    void folders_without_jars() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("csv"));
        Path deep = folder.resolve("deep");
        ExampleSinks.sink("deep").writeTo(deep.resolve("deeper/deep.jar"));
        String rest = ": there is no jar directly in this folder; put the plug-in's jars there, or remove the folder";
        assertThat(folder.problems()).containsExactly(empty + rest, deep + rest);
    }

    @Test
    void a_jar_or_a_folder_that_others_may_write_to() throws Exception {
        Path jar = open(ExampleSinks.sink("open").writeTo(folder.resolve("open.jar")));
        Path own = folder.resolve("own");
        ExampleSinks.sink("own").writeTo(own.resolve("own.jar"));
        open(own);
        Path library = ExampleSinks.sink("mixed").writeTo(folder.resolve("mixed/sink.jar"));
        open(ExampleSinks.library("1").writeTo(library.resolveSibling("lib.jar")));
        Path elsewhere = open(Files.createDirectory(temp.resolve("elsewhere")));
        Path linked = Files.createSymbolicLink(
                folder.resolve("linked.jar"), ExampleSinks.sink("linked").writeTo(elsewhere.resolve("target.jar")));
        String reason =
                "%s is not loaded: other users may write to %2$s (%3$s), and so run code in this process; 'chmod go-w %2$s', mount it read-only, or move the plug-ins"
                        .formatted(jar, jar.toRealPath(), FilePermissions.of(jar));
        String target = "%s is not loaded: other users may write to %s (".formatted(linked, elsewhere.toRealPath());
        assertThat(folder.problems())
                .hasSize(4)
                .anyMatch(reason::equals)
                .anyMatch(problem -> problem.startsWith(own + " is not loaded: "))
                .anyMatch(problem -> problem.startsWith(library.resolveSibling("lib.jar") + " is not loaded: "))
                .anyMatch(problem -> problem.startsWith(target));
        try (PluginRegistry registry = folder.discover(getClass().getClassLoader())) {
            assertThat(registry.plugins(ConsumerProvider.PORT))
                    .extracting(Plugin::name)
                    .doesNotContain("open", "own", "mixed", "linked");
        }
    }

    @Test
    void a_link_that_others_may_replace_on_the_way_to_a_jar() throws Exception {
        Path jar = ExampleSinks.sink("far").writeTo(temp.resolve("real/far.jar"));
        Path shared = open(Files.createDirectory(temp.resolve("shared")));
        Path middle = Files.createSymbolicLink(shared.resolve("current"), Path.of("../real"));
        Path near = Files.createSymbolicLink(folder.resolve("near.jar"), jar);
        assertThat(folder.problems()).isEmpty();
        Files.delete(near);
        Path linked = Files.createSymbolicLink(folder.resolve("far.jar"), middle.resolve("far.jar"));
        assertThat(folder.problems())
                .singleElement()
                .asString()
                .startsWith("%s is not loaded: other users may write to %s (".formatted(linked, shared.toRealPath()));
    }

    @Test
    void a_folder_in_which_others_may_replace_everything() throws Exception {
        open(temp);
        assertThat(problemsIn(folder.path()))
                .singleElement()
                .asString()
                .startsWith(
                        "%s is not loaded: other users may write to %s (".formatted(folder.path(), temp.toRealPath()));
        open(folder.path());
        assertThat(problemsIn(folder.path()))
                .singleElement()
                .asString()
                .contains("'chmod go-w %s'".formatted(folder.path().toRealPath()));
    }

    @Test
    void a_folder_without_a_jar_may_be_writable_for_every_user() throws Exception {
        Path other = open(Files.createDirectory(temp.resolve("other")));
        assertThat(problemsIn(other)).isEmpty();
        Files.writeString(other.resolve("README"), "templates of another program", UTF_8);
        assertThat(problemsIn(other)).isEmpty();
        ExampleSinks.sink("late").writeTo(other.resolve("late/late.jar"));
        assertThat(problemsIn(other)).singleElement().asString().startsWith(other + " is not loaded: ");
    }

    @Test
    void a_configuration_file_of_this_user_is_read_and_a_link_that_leads_nowhere_is_for_its_reader_to_report()
            throws Exception {
        Path file = Files.createFile(temp.resolve("spream.properties"));
        assertThat(PluginOrigin.ofFoundConfiguration(file)).isEmpty();
        Path link = Files.createSymbolicLink(temp.resolve("link.properties"), temp.resolve("gone.properties"));
        assertThat(PluginOrigin.ofFoundConfiguration(link)).isEmpty();
    }

    private static Path open(Path file) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xrwx"));
    }

    private static List<String> problemsIn(Path folder) {
        try (PluginRegistry registry =
                PluginRegistry.discover(PluginFolderProblemsIT.class.getClassLoader(), Optional.of(folder))) {
            return registry.problems();
        }
    }

    private static URLClassLoader over(Path jar) throws IOException {
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, PluginFolderProblemsIT.class.getClassLoader());
    }
}
