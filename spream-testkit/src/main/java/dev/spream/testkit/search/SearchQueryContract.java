package dev.spream.testkit.search;

import static dev.spream.testkit.search.SearchStage.filtered;
import static dev.spream.testkit.search.SearchStage.put;
import static dev.spream.testkit.search.SearchStage.sorted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of searches. */
interface SearchQueryContract extends SearchStage {

    @Test
    default void words_are_found_whatever_their_case_and_the_last_may_be_unfinished() {
        write(put("1", 1, "word", "Ephemeral", "definition", "lasting for a short time"));
        write(put("2", 1, "word", "Serendipity", "definition", "luck that is found by chance"));
        assertThat(found("ephemeral")).containsExactly("1");
        assertThat(found("EPHEM")).containsExactly("1");
        assertThat(found("serend")).containsExactly("2");
        assertThat(found("lasting sho")).containsExactly("1");
        assertThat(found("xylophone")).isEmpty();
    }

    @Test
    default void several_words_have_to_be_there_all_of_them_in_any_field() {
        write(put("1", 1, "word", "orange", "definition", "a round fruit"));
        write(put("2", 1, "word", "orange", "definition", "a colour between"));
        write(put("3", 1, "word", "banana", "definition", "a yellow fruit"));
        assertThat(found("orange fruit")).containsExactly("1");
        assertThat(found("fruit")).containsExactlyInAnyOrder("1", "3");
        assertThat(found("orange yellow")).isEmpty();
    }

    @Test
    default void the_more_important_field_comes_first() {
        write(put("1", 1, "word", "banana", "definition", "harvest"));
        write(put("2", 1, "word", "harvest", "definition", "banana"));
        assertThat(found("banana")).containsExactly("1", "2");
        assertThat(found("harvest")).containsExactly("2", "1");
    }

    @Test
    default void japanese_words_are_found_within_a_sentence() {
        write(put("1", 1, "word", "日本語", "definition", "日本で話されている言語です"));
        write(put("2", 1, "word", "食べ物", "definition", "人が食べるもの"));
        write(put("3", 1, "word", "テレビ", "definition", "番組を見る機械"));
        assertThat(found("日本語")).containsExactly("1");
        assertThat(found("言語")).containsExactly("1");
        assertThat(found("食べ物")).containsExactly("2");
        assertThat(found("テレ")).containsExactly("3");
        assertThat(found("機械")).containsExactly("3");
        assertThat(found("天気")).isEmpty();
    }

    @Test
    default void filters_narrow_what_is_found() {
        write(put("1", 1, "word", "apple", "level", "A1", "tags", List.of("food", "fruit"), "common", true));
        write(put("2", 1, "word", "apple pie", "level", "B2", "tags", List.of("food"), "common", false));
        write(put("3", 1, "word", "pear", "level", "A1", "tags", List.of("fruit"), "common", true));
        assertThat(found(filtered("apple", Map.of("level", "A1")))).containsExactly("1");
        assertThat(found(filtered("", Map.of("tags", "fruit")))).containsExactlyInAnyOrder("1", "3");
        assertThat(found(filtered("", Map.of("tags", "food", "level", "B2")))).containsExactly("2");
        assertThat(found(filtered("", Map.of("common", "false")))).containsExactly("2");
        assertThat(found(filtered("", Map.of("level", "C2")))).isEmpty();
        assertThat(found(filtered("", Map.of("level", "A1\" OR level = \"B2")))).isEmpty();
    }

    @Test
    default void results_are_sorted_by_a_field_those_without_it_last() {
        write(put("1", 1, "word", "cherry", "examples", 10L));
        write(put("2", 1, "word", "apple"));
        write(put("3", 1, "word", "banana", "examples", 9L));
        assertThat(found(sorted("examples"))).containsExactly("3", "1", "2");
        assertThat(found(sorted("word"))).containsExactly("2", "3", "1");
    }

    @Test
    default void pages_follow_each_other_and_the_total_counts_all() {
        index().write(IntStream.range(0, 25)
                .mapToObj(i -> put("d" + i, 1, "word", "word%02d".formatted(i), "definition", "counted"))
                .toList());
        List<String> read = new ArrayList<>();
        for (int offset = 0; offset < 30; offset += 10) {
            SearchResult page = index().search(new SearchQuery("counted", Map.of(), Optional.of("word"), offset, 10));
            assertThat(page.total()).isEqualTo(25);
            assertThat(page.took()).isGreaterThanOrEqualTo(Duration.ZERO);
            read.addAll(SearchStage.ids(page));
        }
        assertThat(read).isEqualTo(IntStream.range(0, 25).mapToObj(i -> "d" + i).toList());
        assertThat(index().search(new SearchQuery("counted", Map.of(), Optional.empty(), 10_000, 1))
                        .documents())
                .isEmpty();
    }

    @Test
    default void other_fields_come_with_the_result_and_are_not_searched() {
        write(put("1", 1, "word", "apple", "note", "secretive"));
        assertThat(found("secretive")).isEmpty();
        assertThat(found("level")).isEmpty();
        assertThat(stored("1").orElseThrow()).containsEntry("note", "secretive");
    }

    @Test
    default void what_the_schema_does_not_offer_is_refused() {
        write(put("1", 1, "word", "apple", "definition", "a fruit"));
        assertThatThrownBy(() -> found(filtered("", Map.of("definition", "a fruit"))))
                .isInstanceOfSatisfying(
                        SearchException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.POISON))
                .hasMessageContaining("definition");
        assertThatThrownBy(() -> found(sorted("definition")))
                .isInstanceOfSatisfying(
                        SearchException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.POISON))
                .hasMessageContaining("definition");
    }

    @Test
    default void signs_in_a_search_are_no_syntax() {
        write(put("1", 1, "word", "apple", "definition", "c++ (or) \"quotes\""));
        for (String text : List.of("apple*", "apple) AND", "\"", "(", "+ -", "word:pear", "\\", "apple~2 ^", "  ")) {
            assertThat(index().search(SearchQuery.of(text)).total()).as(text).isBetween(0L, 1L);
        }
    }
}
