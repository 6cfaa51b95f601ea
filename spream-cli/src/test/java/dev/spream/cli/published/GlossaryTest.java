package dev.spream.cli.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/glossary.md} stays short, and names types that exist. */
final class GlossaryTest {
    private static final Path PAGE = Path.of("../docs/glossary.md");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (?!Term \\|)([^|]+) \\| ([^|]+) \\| `(\\w+)` \\|$");
    private static final int MOST_TERMS = 60;

    @Test
    void it_has_at_most_sixty_terms_and_each_once() throws IOException {
        assertThat(rows().map(row -> row.group(1)))
                .hasSizeBetween(1, MOST_TERMS)
                .doesNotHaveDuplicates();
    }

    @Test
    void every_row_has_a_term_a_sentence_and_a_type() throws IOException {
        List<String> rows = Files.readAllLines(PAGE).stream()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| Term |"))
                .toList();
        assertThat(rows()).hasSameSizeAs(rows);
        assertThat(rows().map(row -> row.group(2))).allMatch(sentence -> sentence.matches("[A-Z].*\\."));
    }

    @Test
    void every_type_exists() throws IOException {
        assertThat(Sources.packagesByType().keySet())
                .containsAll(rows().map(row -> row.group(3)).toList());
    }

    private static Stream<MatchResult> rows() throws IOException {
        return ROW.matcher(Files.readString(PAGE)).results();
    }
}
