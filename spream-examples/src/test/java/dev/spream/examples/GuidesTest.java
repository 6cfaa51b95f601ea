package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Java of the guides is code that compiles: it is found, but for its indentation, in the examples and their tests. */
final class GuidesTest {
    private static final Path DOCS = Path.of("../docs");
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final List<Path> CODE =
            List.of(Path.of("src/main/java"), Path.of("src/test/java"), Path.of("plugin-projects"));

    @ParameterizedTest
    @ValueSource(strings = {"metrics", "operations", "storage-provider", "testing-your-consumer", "which-tool"})
    void the_java_of_a_guide_is_compiled(String page) throws IOException {
        String code = code();
        assertThat(snippets(page))
                .allSatisfy(snippet ->
                        assertThat(code.contains(snippet)).as("%s", snippet).isTrue());
    }

    @Test
    void snippets_are_found_in_the_guides() throws IOException {
        assertThat(snippets("testing-your-consumer")).hasSizeGreaterThan(2);
    }

    private static List<String> snippets(String page) throws IOException {
        return JAVA_BLOCK
                .matcher(Files.readString(DOCS.resolve(page + ".md")))
                .results()
                .map((MatchResult match) -> flat(match.group(1)))
                .toList();
    }

    private static String code() throws IOException {
        List<String> files = new ArrayList<>();
        for (Path folder : CODE) {
            try (Stream<Path> found = Files.walk(folder)) {
                for (Path file :
                        found.filter(path -> path.toString().endsWith(".java")).toList()) {
                    files.add(flat(Files.readString(file)));
                }
            }
        }
        return String.join("\n", files);
    }

    private static String flat(String code) {
        return code.lines().map(String::strip).filter(line -> !line.isEmpty()).collect(Collectors.joining("\n"));
    }
}
