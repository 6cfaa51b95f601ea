package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** In the tables of features, each cell of spream leads to a test, and each cell of another tool to its source. */
final class ComparisonTest {
    private static final Path PAGE = Documentation.guide("which-tool");
    private static final Pattern TABLE =
            Pattern.compile("^\\| \\| spream \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)+)", Pattern.MULTILINE);
    private static final Pattern REFERENCE = Pattern.compile("\\[[^]]+]\\[([^]]+)]");
    private static final Pattern DEFINITION = Pattern.compile("^\\[([^]]+)]: (\\S+)$", Pattern.MULTILINE);
    private static final Pattern TEST = Pattern.compile("@(?:Parameterized)?Test\\b|extends \\w+Contract\\b");

    private final Map<String, String> targets = DEFINITION
            .matcher(Documentation.text(PAGE))
            .results()
            .collect(Collectors.toMap(each -> each.group(1), each -> each.group(2)));

    @Test
    void every_cell_of_spream_leads_to_a_test_of_it() {
        assertThat(rows().map(cells -> cells.get(1)).filter(cell -> !cell.equals("no")))
                .hasSizeGreaterThan(40)
                .allSatisfy(cell -> assertThat(targets(cell)).isNotEmpty().allSatisfy(this::requireTest));
    }

    @Test
    void every_cell_of_another_tool_leads_to_its_source() {
        assertThat(rows().flatMap(cells -> cells.stream().skip(2)))
                .hasSizeGreaterThan(160)
                .allSatisfy(cell -> assertThat(targets(cell))
                        .isNotEmpty()
                        .allSatisfy(target ->
                                assertThat(target).startsWith("https://").doesNotContain("/blob/ma")));
    }

    /** The rows of all tables, each with its cells: the feature, spream, and the other tools. */
    private static Stream<List<String>> rows() {
        return TABLE.matcher(Documentation.text(PAGE))
                .results()
                .flatMap(table -> table.group(1).lines())
                .map(row ->
                        Stream.of(row.split("\\|")).skip(1).map(String::strip).toList());
    }

    private List<String> targets(String cell) {
        return REFERENCE
                .matcher(cell)
                .results()
                .map(name -> targets.getOrDefault(name.group(1), ""))
                .toList();
    }

    private void requireTest(String target) {
        assertThat(target).matches(".*(Test|IT|Contract)\\.java");
        assertThat(Documentation.text(PAGE.resolveSibling(target))).containsPattern(TEST);
    }
}
