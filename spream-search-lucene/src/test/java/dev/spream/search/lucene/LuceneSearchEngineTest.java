package dev.spream.search.lucene;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchSchema;
import dev.spream.testkit.event.Threads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of behaviour specific to Lucene. */
final class LuceneSearchEngineTest {
    private static final SearchSchema SCHEMA =
            new SearchSchema(List.of("word", "definition"), Set.of("rank", "level"), Set.of("rank"));

    @TempDir
    Path directory;

    private static SearchChange put(String id, long version, Map<String, Object> fields) {
        return new SearchChange.Put(new SearchDocument(id, fields), version);
    }

    private static SearchException failure(Runnable work) {
        try {
            work.run();
        } catch (SearchException e) {
            return e;
        }
        throw new AssertionError("nothing failed");
    }

    private static List<String> found(SearchIndex index, String text) {
        return index.search(SearchQuery.of(text)).documents().stream()
                .map(SearchDocument::id)
                .toList();
    }

    @Test
    void opening_an_index_twice_fails_and_names_the_owner() {
        try (LuceneSearchEngine first = LuceneSearchEngine.open(directory);
                LuceneSearchEngine second = LuceneSearchEngine.open(directory)) {
            SearchIndex index = first.open("words", SCHEMA);
            SearchException refusal = failure(() -> second.open("words", SCHEMA));
            assertThat(refusal.kind()).isEqualTo(FailureKind.TRANSIENT);
            assertThat(refusal)
                    .hasMessageContaining("process " + ProcessHandle.current().pid());
            assertThat(failure(() -> second.drop("words"))).hasMessageContaining("open in another process");
            index.close();
            assertThat(second.open("words", SCHEMA).size()).isZero();
        }
    }

    @Test
    void a_folder_that_is_no_index_is_not_changed() throws IOException {
        Path folder = Files.createDirectories(directory.resolve("words"));
        Path letter = Files.writeString(folder.resolve("letter.txt"), "dear");
        Files.writeString(directory.resolve("file"), "a file");
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchException refusal = failure(() -> engine.open("words", SCHEMA));
            assertThat(refusal.kind()).isEqualTo(FailureKind.LOCAL);
            assertThat(refusal).hasMessageContaining("contains other files; nothing was changed");
            assertThat(failure(() -> engine.open("file", SCHEMA)).kind()).isEqualTo(FailureKind.LOCAL);
            assertThat(engine.indexes()).isEmpty();
            assertThat(engine.drop("words")).isFalse();
        }
        assertThat(letter).hasContent("dear");
    }

    @Test
    void damaged_files_are_told_of() throws IOException {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            engine.open("words", SCHEMA).write(List.of(put("1", 1, Map.of("word", "apple"))));
        }
        try (Stream<Path> files = Files.list(directory.resolve("words"))) {
            for (Path file :
                    files.filter(file -> file.toString().contains("segments_")).toList()) {
                Files.writeString(file, "nonsense");
            }
        }
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchException refusal = failure(() -> engine.open("words", SCHEMA));
            assertThat(refusal.kind()).isEqualTo(FailureKind.LOCAL);
            assertThat(refusal).hasMessageContaining("damaged").hasMessageContaining("build the index again");
            assertThat(engine.drop("words")).isTrue();
            assertThat(engine.open("words", SCHEMA).size()).isZero();
        }
    }

    @Test
    void a_lost_index_is_not_created_again_while_it_is_written() throws IOException {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            index.write(List.of(put("1", 1, Map.of("word", "apple"))));
            Path away = directory.resolve("away");
            Files.move(directory.resolve("words"), away);
            for (int version = 1; version < 4; version++) {
                SearchChange change = put("2", version, Map.of("word", "pear"));
                SearchException lost = failure(() -> index.write(List.of(change)));
                assertThat(lost.kind()).isEqualTo(FailureKind.LOCAL);
                assertThat(lost).hasMessageContaining("nothing was written").hasMessageContaining("projection rebuild");
            }
            assertThat(failure(index::id)).hasMessageContaining("is missing or was replaced");
            assertThat(directory.resolve("words")).doesNotExist();
            Files.move(away, directory.resolve("words"));
            index.write(List.of(put("2", 4, Map.of("word", "pear"))));
            assertThat(found(index, "")).containsExactlyInAnyOrder("1", "2");
        }
    }

    @Test
    void a_restored_index_continues_in_the_process_that_missed_it() throws IOException {
        String id = written();
        Path away = directory.resolve("away");
        Files.move(directory.resolve("words"), away);
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            SearchIndex searched = engine.open("words", SCHEMA);
            assertThat(index.expect(id)).isFalse();
            assertThat(index.expect(id)).isFalse();
            assertThat(directory.resolve("words")).doesNotExist();
            for (Runnable use : List.<Runnable>of(
                    () -> index.write(List.of(put("2", 1, Map.of("word", "pear")))),
                    () -> searched.search(SearchQuery.of("apple")),
                    () -> searched.optimize(Duration.ZERO),
                    () -> engine.open("words", SCHEMA))) {
                SearchException gone = failure(use);
                assertThat(gone.kind()).isEqualTo(FailureKind.LOCAL);
                assertThat(gone)
                        .hasMessageContaining("is missing or was replaced")
                        .hasMessageContaining("restore it");
            }
            assertThat(directory.resolve("words")).doesNotExist();
            Files.move(away, directory.resolve("words"));
            assertThat(index.expect(id)).isTrue();
            index.write(List.of(put("2", 1, Map.of("word", "pear"))));
            assertThat(found(searched, "")).containsExactlyInAnyOrder("1", "2");
        }
    }

    /** The id of an index with one document, which is closed. */
    private String written() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", new SearchSchema(List.of("word"), Set.of(), Set.of()));
            index.write(List.of(put("1", 1, Map.of("word", "apple", "level", "B1"))));
            return index.id();
        }
    }

    @Test
    void a_volume_that_is_mounted_late_is_found_under_what_was_opened_before() throws IOException {
        String id = written();
        Path away = directory.resolve("away");
        Files.move(directory.resolve("words"), away);
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            Files.move(directory.resolve("words"), directory.resolve("hidden"));
            Files.move(away, directory.resolve("words"));
            failure(() -> index.optimize(Duration.ZERO)); // a maintenance run at the same time
            assertThat(index.expect(id)).isTrue();
            index.write(List.of(put("2", 1, Map.of("word", "pear"))));
            assertThat(found(index, "")).containsExactlyInAnyOrder("1", "2");
            SearchQuery filtered = new SearchQuery("", Map.of("level", "b1"), Optional.empty(), 0, 20);
            assertThat(index.search(filtered).documents())
                    .extracting(SearchDocument::id)
                    .containsExactly("1");
        }
    }

    @Test
    void a_written_or_cleared_index_stays_bound_when_another_id_is_expected() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex written = engine.open("written", SCHEMA);
            written.write(List.of(put("1", 1, Map.of("word", "apple"))));
            assertThat(written.expect("another")).isFalse();
            written.write(List.of(put("2", 1, Map.of("word", "pear"))));
            assertThat(found(written, "")).containsExactlyInAnyOrder("1", "2");
            SearchIndex cleared = engine.open("cleared", SCHEMA);
            String id = cleared.clear();
            assertThat(cleared.expect("another")).isFalse();
            assertThat(cleared.expect(id)).isTrue();
        }
    }

    @Test
    void damaged_files_are_no_poison() throws IOException {
        StringBuilder text = new StringBuilder("apple"); // long and manifold, or it is not in one piece in the file
        for (int i = 0; i < 300; i++) {
            text.append(i == 150 ? " Cherry " : " ").append(Integer.toHexString(i * 7_919));
        }
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            engine.open("words", SCHEMA).write(List.of(put("1", 1, Map.of("word", text.toString()))));
        }
        assertThat(spoil("Cherry", "Che\"ry")).isPositive();
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            SearchException unread = failure(() -> index.search(SearchQuery.of("apple")));
            assertThat(unread.kind()).isEqualTo(FailureKind.LOCAL);
            assertThat(unread).hasMessageContaining("damaged").hasMessageContaining("projection rebuild");
            assertThat(failure(() -> index.write(List.of(new SearchChange.Merge("1", Map.of("level", "x"), 2))))
                            .kind())
                    .isEqualTo(FailureKind.LOCAL);
        }
    }

    /** Writes something else into the files of the index; how many times. */
    private long spoil(String there, String instead) throws IOException {
        long spoilt = 0;
        try (Stream<Path> files = Files.list(directory.resolve("words"))) {
            for (Path file : files.toList()) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                if (bytes.contains(there)) {
                    Files.writeString(file, bytes.replace(there, instead), StandardCharsets.ISO_8859_1);
                    spoilt++;
                }
            }
        }
        return spoilt;
    }

    @Test
    void a_failed_write_changes_nothing_and_the_next_one_succeeds() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            index.write(List.of(put("1", 1, Map.of("word", "apple"))));
            SearchException refusal = failure(() -> index.write(List.of(
                    put("1", 5, Map.of("word", "pear")), put("2", 1, Map.of("level", "x".repeat(40_000))))));
            assertThat(refusal.kind()).isEqualTo(FailureKind.POISON);
            assertThat(refusal).hasMessageContaining("words").hasMessageNotContaining("xxx");
            assertThat(found(index, "apple")).containsExactly("1");
            index.write(List.of(put("1", 4, Map.of("word", "plum"))));
            assertThat(found(index, "plum")).containsExactly("1");
            assertThat(index.size()).isEqualTo(1);
        }
    }

    @Test
    void an_interrupt_during_a_write_leaves_the_index_usable() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            Thread.currentThread().interrupt();
            index.write(List.of(put("1", 1, Map.of("word", "apple"))));
            index.close();
            engine.open("words", SCHEMA);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(found(engine.open("words", SCHEMA), "apple")).containsExactly("1");
        }
    }

    @Test
    void a_number_without_end_is_poison() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            assertThat(failure(() -> index.write(List.of(put("1", 1, Map.of("rank", Double.NaN)))))
                            .kind())
                    .isEqualTo(FailureKind.POISON);
        }
    }

    @Test
    void numbers_are_filtered_and_sorted_by_what_they_are() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            index.write(List.of(
                    put("text", 1, Map.of("rank", "ten")),
                    put("big", 1, Map.of("rank", 9_007_199_254_740_993L)),
                    put("bigger", 1, Map.of("rank", 9_007_199_254_740_994L)),
                    put("half", 1, Map.of("rank", -0.5)),
                    put("two", 1, Map.of("rank", 2.0)),
                    put("none", 1, Map.of())));
            SearchQuery sorted = new SearchQuery("", Map.of(), Optional.of("rank"), 0, 20);
            assertThat(index.search(sorted).documents())
                    .extracting(SearchDocument::id)
                    .containsExactly("half", "two", "big", "bigger", "text", "none");
            assertThat(index.search(new SearchQuery("", Map.of("rank", "2"), Optional.empty(), 0, 20))
                            .documents())
                    .extracting(SearchDocument::id)
                    .containsExactly("two");
        }
    }

    @Test
    void a_single_character_and_halves_of_words_are_found() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            index.write(List.of(
                    put("1", 1, Map.of("word", "黒猫", "definition", "a black cat")),
                    put("2", 1, Map.of("word", "東京都", "definition", "the capital, by e-mail")),
                    put("3", 1, Map.of("word", "京都", "definition", "an old capital")),
                    put("4", 1, Map.of("word", "都東京", "definition", "ﾃﾚﾋﾞ"))));
            assertThat(found(index, "猫")).containsExactly("1");
            assertThat(found(index, "東京都")).containsExactly("2");
            assertThat(found(index, "京都")).containsExactlyInAnyOrder("2", "3");
            assertThat(found(index, "テレビ")).containsExactly("4");
            assertThat(found(index, "e-ma")).containsExactly("2");
            assertThat(found(index, "cap old")).isEmpty();
            assertThat(found(index, "old cap")).containsExactly("3");
        }
    }

    @Test
    void tombstones_become_old_by_the_clock() {
        Instant start = Instant.parse("2026-01-01T00:00:00Z");
        AtomicLong days = new AtomicLong();
        try (LuceneSearchEngine engine =
                LuceneSearchEngine.open(directory, () -> start.plus(Duration.ofDays(days.get())))) {
            SearchIndex index = engine.open("words", SCHEMA);
            index.write(List.of(new SearchChange.Delete("old", 5)));
            days.set(8);
            index.write(List.of(new SearchChange.Delete("young", 5)));
            index.optimize(Duration.ofDays(7));
            index.write(List.of(put("old", 1, Map.of()), put("young", 1, Map.of())));
            assertThat(found(index, "")).containsExactly("old");
        }
    }

    @Test
    void searches_that_run_while_the_engine_closes_find_or_are_refused() {
        LuceneSearchEngine engine = LuceneSearchEngine.open(directory);
        SearchIndex index = engine.open("words", SCHEMA);
        index.write(List.of(put("1", 1, Map.of("word", "apple"))));
        AtomicBoolean begun = new AtomicBoolean();
        try (Threads threads = new Threads()) {
            Future<String> searching = threads.start(() -> {
                try {
                    while (true) {
                        assertThat(found(index, "apple")).containsExactly("1");
                        begun.set(true);
                    }
                } catch (SearchException e) {
                    return e.getMessage();
                }
            });
            while (!begun.get()) {
                Thread.onSpinWait();
            }
            engine.close();
            assertThat(Threads.resultOf(searching)).contains("closed");
        }
    }

    @Test
    void an_index_that_is_closed_or_dropped_says_so() {
        try (LuceneSearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex index = engine.open("words", SCHEMA);
            engine.drop("words");
            assertThat(failure(() -> index.write(List.of(put("1", 1, Map.of())))))
                    .hasMessageContaining("was dropped");
            assertThat(failure(index::size).kind()).isEqualTo(FailureKind.LOCAL);
        }
        assertThatThrownBy(() -> LuceneSearchEngine.open(directory).open("../words", SCHEMA))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
