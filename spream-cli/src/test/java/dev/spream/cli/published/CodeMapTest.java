package dev.spream.cli.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The code map of {@code docs/architecture.md} names classes where they are. */
final class CodeMapTest {
    private static final Path PAGE = Path.of("../docs/architecture.md");
    private static final String HEADING = "## To find X, open Y";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-zA-Z]*[a-z][a-zA-Z]*)`");
    private static final Pattern PACKAGE = Pattern.compile("`([a-z]+(?:\\.[a-z]+)*)`");

    @Test
    void every_class_is_in_a_package_of_its_row() throws IOException {
        Map<String, Set<String>> packages = Sources.packagesByType();
        assertThat(rows()).hasSizeGreaterThan(30).allSatisfy(row -> {
            List<String> named = found(PACKAGE, row.group(3)).stream()
                    .map("dev.spream."::concat)
                    .toList();
            assertThat(named).isNotEmpty();
            assertThat(found(TYPE, row.group(2)))
                    .allSatisfy(type -> assertThat(packages.getOrDefault(type, Set.of()))
                            .as(type)
                            .containsAnyElementsOf(named));
        });
    }

    private static List<MatchResult> rows() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(HEADING);
        String map = page.substring(begin, page.indexOf("\n## ", begin));
        return ROW.matcher(map)
                .results()
                .filter(row -> row.group(2).contains("`"))
                .toList();
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }
}
