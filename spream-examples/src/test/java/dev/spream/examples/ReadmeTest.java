package dev.spream.examples;

import static dev.spream.examples.Documentation.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the statements of README and the guides about the build are true: coordinates, modules, sizes. {@link
 * SnippetsTest} checks their code.
 */
final class ReadmeTest {
    private static final int MOST_LINES = 300;
    private static final int SINK_LINES = 15;
    private static final Path SINK =
            Path.of("plugin-projects/shout-sink/src/main/java/com/example/shout/ShoutSinkProvider.java");

    @Test
    void it_can_be_read_in_a_few_minutes() throws IOException {
        assertThat(Files.readAllLines(Documentation.README)).hasSizeLessThanOrEqualTo(MOST_LINES);
    }

    @Test
    void a_sink_is_a_few_lines() throws IOException {
        assertThat(Files.readAllLines(SINK)).hasSizeLessThanOrEqualTo(SINK_LINES);
    }

    @Test
    void the_projects_of_plugins_depend_on_this_version() throws IOException {
        try (Stream<Path> projects = Files.list(Path.of("plugin-projects"))) {
            assertThat(projects)
                    .isNotEmpty()
                    .allSatisfy(project -> assertThat(version(project.resolve("pom.xml"), "spream-api"))
                            .isEqualTo(version()));
        }
    }

    @Test
    void the_application_with_spring_boot_depends_on_these_versions() {
        Path application = Path.of("spring-boot-app/pom.xml");
        assertThat(version(application, "spream-bom")).isEqualTo(version());
        assertThat(version(application, "spring-boot-starter-parent"))
                .isEqualTo(found("(?<=<spring-boot.version>)[^<]+", Documentation.text(ROOT.resolve("pom.xml")))
                        .getFirst());
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/getting-started.md"})
    void its_coordinates_are_those_of_the_build(String page) {
        String text = Documentation.text(ROOT.resolve(page));
        assertThat(found("(?<=spream-bom:|spream-bom</artifactId>\\n {6}<version>)[^\"<]+", text))
                .isNotEmpty()
                .containsOnly(version());
        assertThat(found("(?<=dev\\.spream:|<artifactId>|`)spream-[a-z0-9-]+", text))
                .hasSizeGreaterThanOrEqualTo(6)
                .allSatisfy(module -> assertThat(ROOT.resolve(module)).isDirectory());
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .toList();
    }

    private static String version() {
        return version(ROOT.resolve("pom.xml"), "spream-parent");
    }

    private static String version(Path pom, String artifact) {
        Matcher version = Pattern.compile("<artifactId>%s</artifactId>\\s*<version>(.+?)</version>".formatted(artifact))
                .matcher(Documentation.text(pom));
        assertThat(version.find()).as(artifact).isTrue();
        return version.group(1);
    }
}
