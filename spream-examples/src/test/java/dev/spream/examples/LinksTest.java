package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links between the pages lead to files, and to headings, that exist. */
final class LinksTest {
    private static final Pattern LINK =
            Pattern.compile("(?:\\]\\(|^\\[[^]]+]: )((?!https?:|mailto:)[^)\\s]+)(?:\\)|$)", Pattern.MULTILINE);
    private static final Pattern REFERENCE = Pattern.compile("\\[[^]]+]\\[([^]]+)]");
    private static final Pattern DEFINITION = Pattern.compile("^\\[([^]]+)]: \\S+$", Pattern.MULTILINE);
    private static final Pattern CODE_BLOCK = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.+?) *$", Pattern.MULTILINE);
    private static final Pattern LINKED_TEXT = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

    @Test
    void every_link_leads_somewhere() throws IOException {
        List<String> dead = Documentation.pages().stream()
                .flatMap(page -> links(page)
                        .filter(link -> !leadsSomewhere(page, link))
                        .map(link -> "%s: %s".formatted(Documentation.ROOT.relativize(page), link)))
                .toList();
        assertThat(dead).as("dead links").isEmpty();
    }

    @Test
    void references_and_their_definitions_belong_together() throws IOException {
        assertThat(Documentation.pages())
                .allSatisfy(page ->
                        assertThat(names(REFERENCE, page)).containsExactlyInAnyOrderElementsOf(names(DEFINITION, page)))
                .anySatisfy(page -> assertThat(names(DEFINITION, page)).isNotEmpty());
    }

    @Test
    void every_guide_is_linked_from_the_readme_or_another_guide() throws IOException {
        Set<Path> linked = new HashSet<>();
        for (Path page : Documentation.pages()) {
            links(page).map(link -> target(page, link)).forEach(linked::add);
        }
        assertThat(Documentation.pages())
                .filteredOn(page -> page.startsWith(Documentation.ROOT.resolve("docs")))
                .isNotEmpty()
                .allSatisfy(page -> assertThat(linked).contains(page.normalize()));
    }

    @Test
    void anchors_are_those_of_the_site_that_shows_the_pages() {
        assertThat(anchors("""
                # One `code` heading, and more!
                ## Twice
                ## Twice
                ## [Linked](x.md) & last_one
                ```
                # a comment
                ```
                """))
                .containsExactlyInAnyOrder("one-code-heading-and-more", "twice", "twice-1", "linked--last_one");
    }

    private static Stream<String> links(Path page) {
        return LINK.matcher(prose(page)).results().map(link -> link.group(1));
    }

    private static Set<String> names(Pattern pattern, Path page) {
        return pattern.matcher(prose(page)).results().map(name -> name.group(1)).collect(Collectors.toSet());
    }

    private static String prose(Path page) {
        return CODE_BLOCK.matcher(Documentation.text(page)).replaceAll("");
    }

    private static boolean leadsSomewhere(Path page, String link) {
        Path target = target(page, link);
        int anchor = link.indexOf('#');
        return Files.exists(target)
                && (anchor < 0 || anchors(Documentation.text(target)).contains(link.substring(anchor + 1)));
    }

    private static Path target(Path page, String link) {
        String file = link.replaceFirst("#.*", "");
        return (file.isEmpty() ? page : page.resolveSibling(file)).normalize();
    }

    /** As GitHub makes them of headings. */
    private static Set<String> anchors(String markdown) {
        Map<String, Integer> seen = new HashMap<>();
        Set<String> anchors = new HashSet<>();
        HEADING.matcher(CODE_BLOCK.matcher(markdown).replaceAll("")).results().forEach((MatchResult heading) -> {
            String anchor = LINKED_TEXT
                    .matcher(heading.group(1))
                    .replaceAll("$1")
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-');
            int before = seen.merge(anchor, 1, Integer::sum) - 1;
            anchors.add(before == 0 ? anchor : anchor + "-" + before);
        });
        return anchors;
    }
}
