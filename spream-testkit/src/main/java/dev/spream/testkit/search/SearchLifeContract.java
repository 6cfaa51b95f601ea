package dev.spream.testkit.search;

import static dev.spream.testkit.search.SearchStage.delete;
import static dev.spream.testkit.search.SearchStage.filtered;
import static dev.spream.testkit.search.SearchStage.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchSchema;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The contract of creating, opening and removing indexes. */
interface SearchLifeContract extends SearchStage {

    @Test
    default void a_new_index_is_there_and_empty() {
        assertThat(engine().indexes()).containsExactly(NAME);
        assertThat(index().size()).isZero();
        assertThat(found("")).isEmpty();
        assertThat(found("apple")).isEmpty();
    }

    @Test
    default void what_was_written_outlives_the_engine_tombstones_included() {
        write(put("1", 1, "word", "apple"), put("2", 1, "word", "pear"));
        write(delete("2", 5));
        reopened();
        assertThat(engine().indexes()).containsExactly(NAME);
        assertThat(found("")).containsExactly("1");
        write(put("2", 4, "word", "pear"), put("1", 1, "word", "plum"));
        assertThat(found("")).containsExactly("1");
        assertThat(found("apple")).containsExactly("1");
        write(put("1", 2, "word", "plum"));
        assertThat(found("plum")).containsExactly("1");
    }

    @Test
    default void an_index_has_its_id_until_it_is_emptied_of_everything() {
        String first = index().id();
        write(put("1", 5, "word", "apple"));
        write(delete("2", 5));
        assertThat(reopened().id()).isEqualTo(first);
        String second = index().clear();
        assertThat(second).isNotEqualTo(first);
        assertThat(index().id()).isEqualTo(second);
        assertThat(index().size()).isZero();
        write(put("1", 1, "word", "pear"), put("2", 1, "word", "plum"));
        assertThat(found("")).containsExactlyInAnyOrder("1", "2");
        assertThat(reopened().id()).isEqualTo(second);
        assertThat(found("pear")).containsExactly("1");
        assertThat(engine().open("words-v2", SCHEMA).id()).isNotEqualTo(second);
    }

    @Test
    default void the_index_that_is_expected_is_written() {
        SearchIndex second = engine().open(NAME, SCHEMA);
        String first = index().id();
        assertThat(index().expect(first)).isTrue();
        String now = index().clear();
        assertThat(second.expect(first)).isFalse();
        assertThat(second.expect(now)).isTrue();
        second.write(List.of(put("1", 1, "word", "apple")));
        assertThat(index().expect(first)).isFalse();
        write(put("2", 1, "word", "pear"));
        assertThat(found("")).containsExactlyInAnyOrder("1", "2");
        assertThat(reopened().expect(first)).isFalse();
        assertThat(index().expect(now)).isTrue();
        write(put("3", 1, "word", "plum"));
        assertThat(found("")).containsExactlyInAnyOrder("1", "2", "3");
    }

    @Test
    default void an_index_that_was_dropped_is_not_optimized_nor_made_anew_by_that() {
        write(delete("1", 5));
        engine().drop(NAME);
        index().optimize(Duration.ZERO);
        assertThat(engine().indexes()).isEmpty();
    }

    @Test
    default void indexes_do_not_know_of_each_other() {
        SearchIndex other = engine().open("words-v2", SCHEMA);
        write(put("1", 1, "word", "apple"));
        other.write(List.of(put("1", 9, "word", "pear")));
        assertThat(found("")).containsExactly("1");
        assertThat(found("apple")).containsExactly("1");
        assertThat(SearchStage.ids(other.search(SearchQuery.of("pear")))).containsExactly("1");
        assertThat(engine().indexes()).containsExactlyInAnyOrder(NAME, "words-v2");
        assertThat(engine().drop("words-v2")).isTrue();
        assertThat(engine().indexes()).containsExactly(NAME);
        assertThat(found("apple")).containsExactly("1");
    }

    @Test
    default void an_index_that_was_dropped_begins_anew() {
        String id = index().id();
        write(put("1", 5, "word", "apple"));
        write(delete("2", 5));
        assertThat(engine().drop(NAME)).isTrue();
        assertThat(engine().drop(NAME)).isFalse();
        assertThat(engine().indexes()).isEmpty();
        SearchIndex again = engine().open(NAME, SCHEMA);
        assertThat(again.id()).isNotEqualTo(id);
        assertThat(again.size()).isZero();
        again.write(List.of(put("2", 1, "word", "pear")));
        assertThat(again.size()).isEqualTo(1);
    }

    @Test
    default void an_index_that_is_open_twice_is_one_and_is_closed_twice() {
        SearchIndex second = engine().open(NAME, SCHEMA);
        write(put("1", 1, "word", "apple"));
        assertThat(second.size()).isEqualTo(1);
        second.close();
        second.close();
        write(put("2", 1, "word", "pear"));
        assertThat(index().size()).isEqualTo(2);
    }

    @Test
    default void another_schema_holds_for_what_is_there_already() {
        write(put("1", 1, "word", "apple", "note", "secretive"), put("2", 1, "word", "pear", "note", "plain"));
        write(delete("2", 2));
        index().close();
        SearchIndex other = engine().open(NAME, new SearchSchema(List.of("note"), Set.of("word"), Set.of("note")));
        assertThat(SearchStage.ids(other.search(SearchQuery.of("secretive")))).containsExactly("1");
        assertThat(other.search(SearchQuery.of("apple")).documents()).isEmpty();
        assertThat(SearchStage.ids(other.search(filtered("", Map.of("word", "apple")))))
                .containsExactly("1");
        other.write(List.of(put("2", 1, "note", "late"), put("1", 1, "note", "again")));
        assertThat(other.size()).isEqualTo(1);
    }

    @Test
    default void closing_is_harmless_and_may_be_repeated() {
        index().close();
        index().close();
        engine().close();
        engine().close();
    }
}
