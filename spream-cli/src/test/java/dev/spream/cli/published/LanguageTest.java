package dev.spream.cli.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests of the English of main code, and of the comments and method names of test code, by the rules that a program can check.
 * docs/glossary.md has the terms.
 */
final class LanguageTest {
    private static final Pattern QUESTION =
            Pattern.compile("/\\*\\*\\s*\\*?\\s*((?:What|How|Who|Whom|Whose|Whoever|Where|Which|Why|When)\\b[^\\n*]*)");
    private static final Pattern QUESTION_OF_TYPE =
            Pattern.compile("/\\*\\*\\s*\\*?\\s*(Whether\\b[^\\n*]*)(?:(?!\\*/)[^\\x00])*\\*/\\s*"
                    + "(?:@[\\w.]+(?:\\([^)]*\\))?\\s*)*(?:public |final |abstract |sealed |non-sealed )*"
                    + "(?:class|record|interface|enum|@interface|package) ");
    private static final Pattern PEOPLE =
            Pattern.compile("\\b(who|whom|whoever|nobodys?|somebody|anybody|everybody|everyone|someone|anyone)\\b");
    private static final Pattern PROVERBS = Pattern.compile(
            "\\b(goes on|go on|going on|went on|sets? aside|as a rule|mend|mended|given up|gives up|gave up)\\b");

    private static final String TEXT_BLOCK = "\"{3}[\\s\\S]*?\"{3}";
    private static final String LITERAL = "\"(?:[^\"\\\\]++|\\\\.)*+\"|'(?:[^'\\\\]|\\\\.[^']*)'";
    private static final String COMMENT = "(?<comment>//.*(?:\\R\\s*//.*)*|/\\*[\\s\\S]*?\\*/)";
    private static final String METHOD = "\\bvoid\\s+(?<method>\\w+_\\w+)\\(";
    private static final Pattern TEST_CODE = Pattern.compile(String.join("|", TEXT_BLOCK, LITERAL, COMMENT, METHOD));
    private static final Pattern QUESTION_OF_TEST = Pattern.compile(
            "^[/*\\s]*(What|How|Who|Whom|Whose|Whoever|Whatever|However|Where|Which|Why|When|Whether)\\b");
    private static final Pattern QUESTION_OF_NAME =
            Pattern.compile("^(what|how|who|whom|whose|whoever|whatever|however|where|which|why|when|whether)\\b");
    private static final Pattern BY_HAND = Pattern.compile("\\bby hand\\b");

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
    void comments_and_method_names_of_tests_keep_the_same_rules() {
        Map<Path, String> tests = Sources.testTexts();
        assertThat(tests.keySet()).hasSizeGreaterThan(900);
        List<String> hits = new ArrayList<>();
        tests.forEach((file, text) ->
                foundInTest(text).forEach(hit -> hits.add("%s:%d: %s".formatted(file, hit.line(), hit.text()))));
        assertThat(hits).isEmpty();
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

    @Test
    void each_rule_of_tests_finds_its_violations() {
        assertThat(foundInTest("/** What it is. */\nint x;")).hasSize(1);
        assertThat(foundInTest("x(); // Where it is")).hasSize(1);
        assertThat(foundInTest("/**\n * Whether it is.\n */\nclass X {}")).hasSize(1);
        assertThat(foundInTest("/** Waits for\n * somebody. */")).hasSize(1);
        assertThat(foundInTest("// the reader goes\n    // on")).hasSize(1);
        assertThat(foundInTest("/* the reader goes\n * on */")).hasSize(1);
        assertThat(foundInTest("// a row written by hand")).hasSize(1);
        assertThat(foundInTest("int x;\nvoid who_waits_is_served() {"))
                .containsExactly(new Hit(2, "who_waits_is_served"));
        assertThat(foundInTest("void a_reader_goes_on() {")).hasSize(1);
        assertThat(foundInTest("void what_is_open_is_closed() {")).hasSize(1);
        assertThat(foundInTest("void a_row_that_nobody_reads_is_removed() {")).hasSize(1);
        assertThat(foundInTest("void a_row_whose_key_is_new_is_inserted() {")).isEmpty();
        assertThat(foundInTest("x(\"// nobody\", '\"', \"\"\"\n /* who */ \"\"\", \"\\\"// who\");"))
                .isEmpty();
    }

    private static List<Hit> foundInTest(String text) {
        List<Hit> hits = new ArrayList<>();
        Matcher matcher = TEST_CODE.matcher(text);
        while (matcher.find()) {
            String comment = matcher.group("comment");
            String method = matcher.group("method");
            String words = comment == null ? Objects.toString(method, "").replace('_', ' ') : unwrapped(comment);
            Pattern question = comment == null ? QUESTION_OF_NAME : QUESTION_OF_TEST;
            if (Stream.of(question, PEOPLE, PROVERBS, BY_HAND)
                    .anyMatch(rule -> rule.matcher(words).find())) {
                hits.add(new Hit(line(text, matcher.toMatchResult()), comment == null ? method : words));
            }
        }
        return hits;
    }

    private static String unwrapped(String comment) {
        return comment.replaceAll("\\s*\\R\\s*(?:\\*|//)?\\s*", " ");
    }

    private record Hit(long line, String text) {}

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
