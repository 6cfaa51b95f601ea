package dev.spream.cli.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The English of main code: the rules that a program can check. docs/glossary.md has the terms. */
final class LanguageTest {
    private static final Pattern QUESTION =
            Pattern.compile("/\\*\\*\\s*\\*?\\s*((?:What|How|Who|Whom|Whose|Whoever|Where|Which|Why|When)\\b[^\\n*]*)");
    private static final Pattern QUESTION_OF_TYPE =
            Pattern.compile("/\\*\\*\\s*\\*?\\s*(Whether\\b[^\\n*]*)(?:(?!\\*/)[^\\x00])*\\*/\\s*"
                    + "(?:@[\\w.]+(?:\\([^)]*\\))?\\s*)*(?:public |final |abstract |sealed |non-sealed )*"
                    + "(?:class|record|interface|enum|@interface|package) ");
    private static final Pattern PEOPLE = Pattern.compile("\\b(who|whom|whoever|nobody|somebody|anybody)\\b");
    private static final Pattern PROVERBS =
            Pattern.compile("\\b(goes on|set aside|as a rule|mend|mended|given up|gives up)\\b");

    private final Map<Path, String> sources = Sources.texts();

    @Test
    void javadoc_says_what_a_thing_is_and_asks_nothing() {
        assertThat(sources).hasSizeGreaterThan(1_000);
        assertThat(found(QUESTION, 1)).isEmpty();
        assertThat(found(QUESTION_OF_TYPE, 1)).isEmpty();
    }

    @Test
    void threads_processes_and_callers_are_no_people() {
        assertThat(found(PEOPLE, 0)).isEmpty();
    }

    @Test
    void nothing_is_said_by_a_proverb() {
        assertThat(found(PROVERBS, 0)).isEmpty();
    }

    @Test
    void few_types_of_different_packages_have_the_same_name() {
        Map<String, Set<String>> packages = Sources.packagesByType();
        packages.remove("package-info");
        packages.values().forEach(places -> places.removeIf(place -> place.startsWith("dev.spream.examples")));
        packages.values().removeIf(places -> places.size() <= 1);
        assertThat(packages).hasSizeLessThanOrEqualTo(8);
    }

    @Test
    void each_rule_finds_what_it_is_for() {
        assertThat(QUESTION.matcher("/** What it is. */\nint x;").find()).isTrue();
        assertThat(QUESTION.matcher("/**\n * How many there are.\n *\n */").find())
                .isTrue();
        assertThat(QUESTION.matcher("/** Returns what it is. */").find()).isFalse();
        assertThat(QUESTION_OF_TYPE
                        .matcher("/** Whether it is. */\n@NullMarked\npackage x;")
                        .find())
                .isTrue();
        assertThat(QUESTION_OF_TYPE
                        .matcher("/** A thing. */ class X { /** Whether it is. */ int x; } class Y {")
                        .find())
                .isFalse();
        assertThat(PEOPLE.matcher("whoever holds it").find()).isTrue();
        assertThat(PROVERBS.matcher("the event is set aside").find()).isTrue();
    }

    private List<String> found(Pattern rule, int group) {
        List<String> hits = new ArrayList<>();
        sources.forEach((file, text) -> {
            Matcher matcher = rule.matcher(text);
            while (matcher.find()) {
                hits.add("%s:%d: %s".formatted(file, line(text, matcher.toMatchResult()), matcher.group(group)));
            }
        });
        return hits;
    }

    private static long line(String text, MatchResult hit) {
        return 1 + text.substring(0, hit.start()).chars().filter(c -> c == '\n').count();
    }
}
