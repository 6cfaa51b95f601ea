package dev.spream.examples;

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

final class ReadmeTest {
    private static final Path ROOT = Path.of("..");
    private static final int METHOD_BODY = 8;
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern PROPERTIES_BLOCK = Pattern.compile("```properties\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern XML_BLOCK = Pattern.compile("```xml\\n(.*?)```", Pattern.DOTALL);
    private static final Path SINK =
            Path.of("plugin-projects/shout-sink/src/main/java/com/example/shout/ShoutSinkProvider.java");
    private static final int SINK_LINES = 15;

    @Test
    void every_java_snippet_is_taken_from_an_example() throws IOException {
        List<String> snippets = blocks(JAVA_BLOCK);
        String examples = examples();
        assertThat(snippets)
                .isNotEmpty()
                .allSatisfy(snippet -> assertThat(examples.contains(snippet) || examples.contains(indented(snippet)))
                        .as("%s", snippet)
                        .isTrue());
    }

    @Test
    void the_configuration_is_that_of_the_examples() throws IOException {
        assertThat(blocks(PROPERTIES_BLOCK))
                .containsExactly(
                        Files.readString(Path.of("spream.properties")), Files.readString(Path.of("mirror.properties")));
    }

    @Test
    void a_sink_is_a_few_lines() throws IOException {
        assertThat(Files.readAllLines(SINK)).hasSizeLessThanOrEqualTo(SINK_LINES);
    }

    @Test
    void the_projects_of_plugins_depend_on_this_version() throws IOException {
        String version = version(Files.readString(ROOT.resolve("pom.xml")), "spream-parent");
        try (Stream<Path> projects = Files.list(Path.of("plugin-projects"))) {
            assertThat(projects)
                    .isNotEmpty()
                    .allSatisfy(
                            project -> assertThat(version(Files.readString(project.resolve("pom.xml")), "spream-api"))
                                    .isEqualTo(version));
        }
    }

    @Test
    void its_coordinates_are_those_of_the_build() throws IOException {
        String version = version(Files.readString(ROOT.resolve("pom.xml")), "spream-parent");
        assertThat(found("(?<=spream-bom:|<version>)[^\"<]+"))
                .hasSizeGreaterThanOrEqualTo(2)
                .containsOnly(version);
        assertThat(found("(?<=dev\\.spream:|<artifactId>)spream-[a-z-]+"))
                .hasSizeGreaterThanOrEqualTo(8)
                .allSatisfy(artifact -> assertThat(ROOT.resolve(artifact)).isDirectory());
    }

    private static List<String> found(String pattern) throws IOException {
        return Pattern.compile(pattern)
                .matcher(readme())
                .results()
                .map(MatchResult::group)
                .toList();
    }

    @Test
    void the_project_of_a_user_has_the_coordinates_that_it_shows() throws IOException {
        String project = Files.readString(ROOT.resolve("verification/consumer/pom.xml"));
        assertThat(blocks(XML_BLOCK))
                .isNotEmpty()
                .allSatisfy(
                        block -> assertThat(project).contains(block.indent(2).replaceAll("(?m)^ +$", "")));
    }

    private static String version(String pom, String artifact) {
        Matcher version = Pattern.compile("<artifactId>%s</artifactId>\\s*<version>(.+?)</version>".formatted(artifact))
                .matcher(pom);
        assertThat(version.find()).as(artifact).isTrue();
        return version.group(1);
    }

    @Test
    void every_module_and_program_that_it_names_is_there() throws IOException {
        List<String> paths = Pattern.compile("\\]\\(((?!https|#)[^)]+)\\)|`(spream-[a-z-]+)`")
                .matcher(readme())
                .results()
                .map((MatchResult match) -> match.group(1) == null ? match.group(2) : match.group(1))
                .toList();
        assertThat(paths)
                .isNotEmpty()
                .allSatisfy(path -> assertThat(ROOT.resolve(path)).exists());
    }

    @Test
    void every_link_of_the_guides_leads_to_a_file() throws IOException {
        try (Stream<Path> guides = Files.list(ROOT.resolve("docs"))) {
            assertThat(guides.filter(guide -> guide.toString().endsWith(".md")))
                    .isNotEmpty()
                    .allSatisfy(guide -> assertThat(links(guide))
                            .allSatisfy(link -> assertThat(guide.resolveSibling(link))
                                    .as("a link of %s", guide.getFileName())
                                    .exists()));
        }
    }

    private static List<String> links(Path guide) throws IOException {
        return Pattern.compile("\\]\\(((?!https?:|#)[^)#]+)")
                .matcher(Files.readString(guide))
                .results()
                .map(link -> link.group(1))
                .toList();
    }

    private static List<String> blocks(Pattern kind) throws IOException {
        return kind.matcher(readme())
                .results()
                .map((MatchResult match) -> match.group(1))
                .toList();
    }

    /** As in the body of a method. */
    private static String indented(String snippet) {
        return snippet.indent(METHOD_BODY).replaceAll("(?m)^ +$", "");
    }

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }

    private static String examples() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path folder : List.of(Path.of("src/main/java"), Path.of("plugin-projects"))) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file :
                        files.filter(file -> file.toString().endsWith(".java")).toList()) {
                    all.append(Files.readString(file));
                }
            }
        }
        return all.toString();
    }
}
