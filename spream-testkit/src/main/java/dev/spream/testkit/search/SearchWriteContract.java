package dev.spream.testkit.search;

import static dev.spream.testkit.search.SearchStage.delete;
import static dev.spream.testkit.search.SearchStage.fields;
import static dev.spream.testkit.search.SearchStage.merge;
import static dev.spream.testkit.search.SearchStage.put;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchQuery;
import dev.spream.testkit.event.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of changes to documents. */
interface SearchWriteContract extends SearchStage {

    @Test
    default void what_was_written_is_found_when_write_returns() {
        write(put("1", 1, "word", "apple"), put("2", 1, "word", "pear"));
        assertThat(found("apple")).containsExactly("1");
        assertThat(found("")).containsExactlyInAnyOrder("1", "2");
        assertThat(index().size()).isEqualTo(2);
    }

    @Test
    default void a_put_replaces_the_whole_document() {
        write(put("1", 1, "word", "apple", "definition", "a fruit"));
        write(put("1", 2, "word", "pear"));
        assertThat(found("apple")).isEmpty();
        assertThat(found("fruit")).isEmpty();
        assertThat(stored("1")).contains(fields("word", "pear"));
        assertThat(index().size()).isEqualTo(1);
    }

    @Test
    default void a_merge_changes_its_fields_and_leaves_the_others() {
        write(put("1", 1, "word", "apple", "definition", "a fruit", "level", "A1"));
        write(merge("1", 2, "definition", "grows on trees", "examples", 3L));
        assertThat(stored("1"))
                .contains(fields("word", "apple", "definition", "grows on trees", "level", "A1", "examples", 3L));
        assertThat(found("fruit")).isEmpty();
        assertThat(found("apple grows")).containsExactly("1");
    }

    @Test
    default void a_merge_of_a_document_that_is_not_there_makes_none() {
        write(merge("1", 2, "word", "apple"), put("2", 1, "word", "pear"));
        assertThat(found("")).containsExactly("2");
        assertThat(index().size()).isEqualTo(1);
        write(put("1", 1, "word", "plum"));
        assertThat(found("plum")).containsExactly("1");
    }

    @Test
    default void a_merge_does_not_bring_a_deleted_document_back() {
        write(put("1", 1, "word", "apple"));
        write(delete("1", 2));
        write(merge("1", 3, "definition", "a fruit"));
        assertThat(found("")).isEmpty();
    }

    @Test
    default void what_is_not_newer_is_passed_over() {
        write(put("1", 5, "word", "apple"));
        write(put("1", 4, "word", "pear"));
        write(put("1", 5, "word", "plum"));
        write(merge("1", 5, "word", "cherry"));
        write(merge("1", 3, "word", "quince"));
        write(delete("1", 4));
        write(delete("1", 5));
        assertThat(stored("1")).contains(fields("word", "apple"));
        write(merge("1", 7, "word", "quince"));
        write(put("1", 6, "word", "pear"));
        assertThat(stored("1")).contains(fields("word", "quince"));
    }

    @Test
    default void a_deleted_document_does_not_come_back_by_what_comes_late_or_again() {
        write(put("1", 1, "word", "apple"));
        write(delete("1", 3));
        assertThat(found("apple")).isEmpty();
        assertThat(index().size()).isZero();
        write(put("1", 1, "word", "apple"));
        write(put("1", 2, "word", "pear"));
        write(put("1", 3, "word", "plum"));
        write(merge("1", 2, "word", "quince"));
        assertThat(found("")).isEmpty();
        assertThat(index().size()).isZero();
    }

    @Test
    default void a_deletion_that_comes_first_counts() {
        write(delete("1", 3));
        write(put("1", 2, "word", "apple"));
        assertThat(found("")).isEmpty();
    }

    @Test
    default void a_deleted_document_comes_back_by_what_is_newer() {
        write(put("1", 1, "word", "apple"));
        write(delete("1", 2));
        write(put("1", 3, "word", "pear"));
        assertThat(found("")).containsExactly("1");
        assertThat(found("pear")).containsExactly("1");
        assertThat(index().size()).isEqualTo(1);
    }

    @Test
    default void changes_that_come_in_any_order_and_often_end_as_in_theirs() {
        List<SearchChange> changes = new ArrayList<>();
        for (int id = 0; id < 5; id++) {
            String name = "d" + id;
            changes.add(put(name, 1, "word", "apple"));
            changes.add(delete(name, 2));
            changes.add(put(name, 3, "word", "pear"));
            changes.add(id % 2 == 0 ? delete(name, 4) : put(name, 4, "word", "plum"));
        }
        changes.addAll(List.copyOf(changes));
        Collections.shuffle(changes, new Random(7));
        changes.forEach(change -> index().write(List.of(change)));
        assertThat(found("")).containsExactlyInAnyOrder("d1", "d3");
        assertThat(found("plum")).containsExactlyInAnyOrder("d1", "d3");
    }

    @Test
    default void all_kinds_of_changes_may_be_in_one_call() {
        write(put("1", 1, "word", "apple"), put("2", 1, "word", "pear"), put("3", 9, "word", "plum"));
        write(
                delete("1", 2),
                merge("2", 2, "definition", "a fruit"),
                put("3", 3, "word", "late"),
                put("4", 1, "word", "new"),
                merge("5", 1, "word", "absent"));
        assertThat(found("")).containsExactlyInAnyOrder("2", "3", "4");
        assertThat(stored("2")).contains(fields("word", "pear", "definition", "a fruit"));
        assertThat(stored("3")).contains(fields("word", "plum"));
    }

    @Test
    default void fields_of_every_type_come_back_as_they_are() {
        Map<String, Object> fields = fields(
                "word",
                "日本語 \"quoted\" \\ and\nlines",
                "examples",
                9_007_199_254_740_993L,
                "score",
                12_345_678.0,
                "ratio",
                2.5,
                "common",
                true,
                "tags",
                List.of("a", "b c"),
                "none",
                List.of(),
                "empty",
                "");
        index().write(List.of(new SearchChange.Put(new SearchDocument("1", fields), 1)));
        assertThat(stored("1")).contains(fields);
    }

    @Test
    default void ids_differ_by_case_and_length() {
        String longest = "x".repeat(511);
        write(put("a", 1, "word", "apple"), put("A", 1, "word", "pear"), put("a-", 1), put(longest, 1));
        write(delete("a", 2), delete(longest, 2));
        assertThat(found("")).containsExactlyInAnyOrder("A", "a-");
    }

    @Test
    default void many_changes_fit_into_one_call() {
        index().write(IntStream.range(0, 2_500)
                .mapToObj(i -> put("d" + i, 1, "word", "word" + i, "level", i % 2 == 0 ? "A1" : "B2"))
                .toList());
        assertThat(index().size()).isEqualTo(2_500);
        index().write(IntStream.range(0, 2_500)
                .mapToObj(i -> i % 5 == 0 ? delete("d" + i, 2) : merge("d" + i, 2, "level", "C1"))
                .toList());
        assertThat(index().size()).isEqualTo(2_000);
        assertThat(index().search(SearchStage.filtered("", Map.of("level", "C1")))
                        .total())
                .isEqualTo(2_000);
    }

    @Test
    default void of_several_writers_of_a_document_the_newest_wins() {
        threads()
                .together(IntStream.range(0, 6)
                        .mapToObj(writer -> (Callable<Boolean>) () -> {
                            for (int round = 0; round < 10; round++) {
                                int version = 1 + (round * 7 + writer * 11) % 60;
                                write(put("same", version, "examples", (long) version), put("w" + writer, round + 1));
                            }
                            return true;
                        })
                        .toList());
        long newest = IntStream.range(0, 60)
                .map(i -> 1 + (i % 10 * 7 + i / 10 * 11) % 60)
                .max()
                .orElseThrow();
        assertThat(stored("same")).contains(fields("examples", newest));
        assertThat(index().size()).isEqualTo(7);
    }

    @Test
    default void optimizing_takes_tombstones_of_that_age_away_and_nothing_else() {
        write(put("1", 1, "word", "apple"), put("2", 1, "word", "pear"));
        write(delete("1", 2));
        index().optimize(Duration.ofHours(1));
        write(put("1", 1, "word", "apple"));
        assertThat(found("")).containsExactly("2");
        index().optimize(Duration.ZERO);
        assertThat(found("")).containsExactly("2");
        write(put("1", 1, "word", "apple"));
        assertThat(found("")).containsExactlyInAnyOrder("1", "2");
    }

    @Test
    default void optimizing_holds_up_neither_writers_nor_searches() {
        AtomicBoolean over = new AtomicBoolean();
        Future<Boolean> optimizing = threads().start(() -> {
            while (!over.get()) {
                index().optimize(Duration.ofHours(1));
            }
            return true;
        });
        for (int i = 1; i <= 20; i++) {
            write(put("d" + i, 1, "word", "apple"), put("gone", 2L * i, "word", "pear"));
            write(delete("gone", 2L * i + 1));
            assertThat(index().search(SearchQuery.of("apple")).total()).isEqualTo(i);
        }
        over.set(true);
        assertThat(Threads.resultOf(optimizing)).isTrue();
        write(put("gone", 3, "word", "pear"));
        assertThat(index().size()).isEqualTo(20);
    }
}
