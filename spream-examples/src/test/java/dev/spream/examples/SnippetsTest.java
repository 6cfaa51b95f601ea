package dev.spream.examples;

import static dev.spream.examples.Documentation.ROOT;
import static dev.spream.examples.Documentation.blocks;
import static dev.spream.examples.Documentation.text;
import static dev.spream.examples.Documentation.unindented;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The code blocks of README and of the guides are parts of files that the build compiles or tests. */
final class SnippetsTest {
    private static final List<Path> SOURCES = List.of(
            Path.of("src/main/java"),
            Path.of("src/test/java"),
            Path.of("plugin-projects"),
            Path.of("flink-job/src/main/java"),
            Path.of("spring-boot-app/src"),
            Path.of("../spream-flink/src/test/java/dev/spream/flink/guide"));

    @Test
    void every_java_snippet_is_taken_from_an_example() throws IOException {
        String examples = examples();
        List<String> snippets = new ArrayList<>();
        for (Path page : Documentation.pages()) {
            snippets.addAll(blocks(page, "java"));
        }
        assertThat(snippets)
                .hasSizeGreaterThan(40)
                .allSatisfy(snippet -> assertThat(examples.contains(unindented(snippet)))
                        .as("an example contains%n%s", snippet)
                        .isTrue());
    }

    private static String examples() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path folder : SOURCES) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.filter(file -> file.toString().endsWith(".java"))
                        .forEach(file -> all.append(unindented(text(file))));
            }
        }
        return all.toString();
    }

    @Test
    void configurations_are_those_of_the_examples() {
        assertThat(blocks(Documentation.guide("configuration"), "properties"))
                .containsExactly(text(Path.of("spream.properties")));
        assertThat(blocks(Documentation.guide("mirror"), "properties"))
                .containsExactly(text(Path.of("mirror.properties")));
    }

    @Test
    void the_project_of_a_user_has_the_dependencies_that_are_shown() {
        String project = unindented(text(ROOT.resolve("verification/consumer/pom.xml")));
        List<String> blocks = blocks(Documentation.guide("getting-started"), "xml");
        assertThat(blocks).hasSizeGreaterThan(1);
        assertThat(blocks).allSatisfy(block -> assertThat(project).contains(unindented(block)));
    }

    @Test
    void the_guide_to_projections_shows_a_whole_project() throws IOException {
        Path guide = Documentation.guide("projections");
        assertThat(blocks(guide, "xml")).containsExactly(text(Path.of("totals/pom.xml")));
        assertThat(blocks(guide, "java"))
                .contains(
                        withoutPackage(Path.of("src/main/java/dev/spream/examples/Totals.java")),
                        withoutPackage(Path.of("src/test/java/dev/spream/examples/TotalsIT.java")));
    }

    @Test
    void the_guide_to_the_outbox_shows_a_whole_project() {
        Path guide = Documentation.guide("outbox");
        Path sources = Path.of("src/test/java/com/example/orders");
        assertThat(blocks(guide, "xml")).containsExactly(text(Path.of("outbox-app/pom.xml")));
        assertThat(blocks(guide, "java"))
                .contains(text(sources.resolve("OrdersApp.java")), text(sources.resolve("OrdersAppIT.java")));
    }

    /** Its project has the dependencies of the outbox's. */
    @Test
    void the_guide_to_locks_shows_a_whole_project() {
        Path guide = Documentation.guide("locks");
        String project = text(Path.of("outbox-app/pom.xml")).replace("orders-app", "accounts");
        assertThat(blocks(guide, "xml")).containsExactly(project);
        assertThat(blocks(guide, "java"))
                .contains(
                        withoutPackage(Path.of("src/main/java/dev/spream/examples/LockExample.java")),
                        withoutPackage(Path.of("src/test/java/dev/spream/examples/LockExampleIT.java")));
    }

    private static String withoutPackage(Path file) {
        String text = text(file);
        return text.substring(text.indexOf("import "));
    }

    @Test
    void the_guide_to_spring_boot_shows_a_whole_project() throws IOException {
        Path guide = Documentation.guide("spring-boot");
        Path project = Path.of("spring-boot-app");
        assertThat(blocks(guide, "xml")).containsExactly(text(project.resolve("pom.xml")));
        assertThat(blocks(guide, "properties"))
                .containsExactly(text(project.resolve("src/main/resources/application.properties")));
        assertThat(blocks(guide, "sql")).containsExactly(text(project.resolve("src/test/resources/orders.sql")));
        try (Stream<Path> files = Files.walk(project.resolve("src"))) {
            assertThat(blocks(guide, "java"))
                    .containsExactlyInAnyOrderElementsOf(
                            files.filter(file -> file.toString().endsWith(".java"))
                                    .map(Documentation::text)
                                    .toList());
        }
    }
}
