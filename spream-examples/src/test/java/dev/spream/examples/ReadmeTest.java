package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ReadmeTest {
    private static final Path ROOT = Path.of("..");
    private static final int METHOD_BODY = 8;
    private static final Pattern JAVA_BLOCK = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @Test
    void every_java_snippet_is_taken_from_an_example() throws IOException {
        List<String> snippets = JAVA_BLOCK
                .matcher(readme())
                .results()
                .map((MatchResult match) -> match.group(1).indent(METHOD_BODY).replaceAll("(?m)^ +$", ""))
                .toList();
        String examples = examples();
        assertThat(snippets)
                .isNotEmpty()
                .allSatisfy(snippet -> assertThat(examples).contains(snippet));
    }

    @Test
    void every_module_and_program_that_it_names_is_there() throws IOException {
        List<String> paths = Pattern.compile("\\]\\(((?!https)[^)]+)\\)|`(spream-[a-z-]+)`")
                .matcher(readme())
                .results()
                .map((MatchResult match) -> match.group(1) == null ? match.group(2) : match.group(1))
                .toList();
        assertThat(paths)
                .isNotEmpty()
                .allSatisfy(path -> assertThat(ROOT.resolve(path)).exists());
    }

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }

    private static String examples() throws IOException {
        Path sources = ROOT.resolve("spream-examples/src/main/java");
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(sources)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }
}
