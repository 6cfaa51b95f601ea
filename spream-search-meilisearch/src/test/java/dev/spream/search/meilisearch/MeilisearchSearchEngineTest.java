package dev.spream.search.meilisearch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.search.DocumentMapping;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchProjection;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchSchema;
import dev.spream.servers.MeilisearchDouble;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of faulty responses of a server. */
@Timeout(60)
final class MeilisearchSearchEngineTest {
    private static final SearchSchema SCHEMA = new SearchSchema(List.of("word"), Set.of(), Set.of());

    private static final DocumentMapping NOTHING = new DocumentMapping() {
        @Override
        public Set<String> eventTypes() {
            return Set.of();
        }

        @Override
        public List<SearchChange> changes(EventEnvelope event) {
            return List.of();
        }
    };

    private MeilisearchDouble server;
    private MeilisearchSearchEngine engine;
    private SearchIndex index;

    @BeforeEach
    void start() throws IOException {
        server = MeilisearchDouble.start();
        engine = engine(Duration.ofSeconds(20));
        index = engine.open("words", SCHEMA);
    }

    private MeilisearchSearchEngine engine(Duration taskTimeout) {
        return MeilisearchSearchEngine.of(server.url(), Optional.of("sesame"), taskTimeout);
    }

    @AfterEach
    void stop() {
        engine.close();
        server.close();
    }

    private static SearchChange put(String id, long version, Object word) {
        return new SearchChange.Put(new SearchDocument(id, Map.of("word", word)), version);
    }

    private static SearchException failure(Runnable work) {
        try {
            work.run();
        } catch (SearchException e) {
            return e;
        }
        throw new AssertionError("nothing failed");
    }

    private SearchException failedWrite() {
        return failure(() -> index.write(List.of(put("1", 1, "apple"))));
    }

    @Test
    void a_task_that_fails_fails_the_write_and_nothing_of_it_is_there() {
        server.failTask(0, "system", "no_space_left_on_device");
        SearchException failed = failedWrite();
        assertThat(failed.kind()).isEqualTo(FailureKind.TRANSIENT);
        assertThat(failed).hasMessageContaining("no_space_left_on_device");
        assertThat(index.size()).isZero();
        index.write(List.of(put("1", 1, "apple")));
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void a_document_that_is_refused_is_poison() {
        server.refuseDocument("1");
        SearchException failed = failure(() -> index.write(List.of(put("2", 1, "pear"), put("1", 1, "apple"))));
        assertThat(failed.kind()).isEqualTo(FailureKind.POISON);
        assertThat(failed).hasMessageContaining("max_fields_limit_exceeded").hasMessageNotContaining("a test wants");
        assertThat(index.size()).isZero();
        assertThat(failure(() -> index.write(List.of(put("3", 1, Double.NaN)))).kind())
                .isEqualTo(FailureKind.POISON);
    }

    @Test
    void a_key_that_is_refused_is_the_fault_of_this_process_and_never_told() {
        server.requireKey("open");
        SearchException failed = failedWrite();
        assertThat(failed.kind()).isEqualTo(FailureKind.LOCAL);
        assertThat(failed).hasMessageContaining("invalid_api_key").hasMessageNotContaining("sesame");
        assertThat(engine + " " + index).doesNotContain("sesame");
        server.requireKey("sesame");
        index.write(List.of(put("1", 1, "apple")));
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void a_server_that_is_not_there_may_be_later() {
        server.down(true);
        assertThat(failedWrite().kind()).isEqualTo(FailureKind.TRANSIENT);
        server.down(false);
        server.failRequests(1);
        assertThat(failedWrite().kind()).isEqualTo(FailureKind.TRANSIENT);
        index.write(List.of(put("1", 1, "apple")));
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void an_answer_that_is_lost_does_not_make_a_change_twice() {
        long before = server.tasks();
        server.loseAnswers(2, 1); // that of the versions comes, that with the task does not
        assertThat(failedWrite().kind()).isEqualTo(FailureKind.TRANSIENT);
        index.write(List.of(put("1", 1, "apple")));
        index.write(List.of(put("1", 1, "apple")));
        assertThat(server.documents("words")).hasSize(1);
        assertThat(server.tasks() - before).isLessThanOrEqualTo(2);
    }

    @Test
    void a_late_write_is_awaited_before_a_newer_one_is_sent() throws Exception {
        server.holdDocuments();
        assertThat(failedWrite().kind()).isEqualTo(FailureKind.TRANSIENT);
        int asked = server.requests();
        FutureTask<Void> newer = new FutureTask<>(
                () -> index.write(List.of(new SearchChange.Delete("1", 2), put("2", 1, "pear"))), null);
        Thread.ofVirtual().start(newer);
        while (server.requests() < asked + 4 && !newer.isDone()) {
            Thread.onSpinWait();
        }
        server.takeHeld();
        newer.get(30, TimeUnit.SECONDS);
        index.write(List.of(put("3", 1, "plum"))); // behind all others
        assertThat(server.documents("words").get("1"))
                .containsEntry("_deleted", true)
                .containsEntry("_version", BigDecimal.valueOf(2));
        assertThat(index.size()).isEqualTo(2);
    }

    @Test
    void a_write_that_exceeds_the_task_timeout_is_sent_again() {
        try (MeilisearchSearchEngine impatient = engine(Duration.ofSeconds(1))) {
            SearchIndex words = impatient.open("words", SCHEMA);
            server.holdDocuments();
            assertThat(failure(() -> words.write(List.of(put("1", 1, "apple")))).kind())
                    .isEqualTo(FailureKind.TRANSIENT);
            words.write(List.of(put("1", 1, "apple")));
            assertThat(words.size()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "{\"status\":\"ok\"}",
                "{\"results\":[7]}",
                "{\"results\":[{\"_id\":\"1\",\"word\":\"x\"}]}",
                "{\"results\":[{\"id\":1}]}",
                "{\"results\":[{\"_id\":\"1\",\"_version\":\"x\"}]}"
            })
    void an_answer_that_is_none_does_not_count_as_nothing_stored(String answer) {
        index.write(List.of(put("1", 9, "apple")));
        long before = server.tasks();
        server.answer("/documents/fetch", answer);
        assertThat(failure(() -> index.write(List.of(put("1", 3, "old")))).kind())
                .isEqualTo(FailureKind.TRANSIENT);
        assertThat(failure(index::size).kind()).isEqualTo(FailureKind.TRANSIENT);
        server.answer("/search", answer);
        assertThat(failure(() -> index.search(SearchQuery.of("apple"))).kind()).isEqualTo(FailureKind.TRANSIENT);
        assertThat(server.tasks()).isEqualTo(before);
    }

    @Test
    void numbers_are_read_as_the_server_writes_them() {
        String hit =
                "{\"_id\":\"1\",\"_version\":1,\"_deleted\":false,\"a\":1e30,\"b\":1e16,\"c\":5,\"d\":0.5,\"e\":98765432109876543210}";
        server.answer("/search", "{\"hits\":[%s],\"estimatedTotalHits\":1}".formatted(hit));
        assertThat(index.search(SearchQuery.of("")).documents().getFirst().fields())
                .isEqualTo(Map.of("a", 1e30, "b", 1e16, "c", 5L, "d", 0.5, "e", 98765432109876543210d));
        server.answer("/documents/fetch", "{\"results\":[%s]}".formatted(hit));
        index.write(List.of(new SearchChange.Merge("1", Map.of("word", "apple"), 2)));
        assertThat(server.documents("words").get("1")).containsEntry("a", new BigDecimal("1e30").setScale(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\\b", "c:\\temp\\x", "say \"hi\"", "it's", "\\\"", "\\'", "\"'", "end\\\\", ""})
    void filters_compare_with_what_they_say(String value) {
        index = engine.open("words", new SearchSchema(List.of("word"), Set.of("word"), Set.of()));
        index.write(List.of(put("1", 1, value), put("2", 1, value + "?"), put("3", 1, "\\" + value)));
        assertThat(index.search(new SearchQuery("", Map.of("word", value), Optional.empty(), 0, 20))
                        .documents())
                .extracting(SearchDocument::id)
                .containsExactly("1");
    }

    @Test
    void a_filter_that_the_server_cannot_be_told_is_refused() {
        index = engine.open("words", new SearchSchema(List.of("word"), Set.of("word"), Set.of()));
        SearchQuery query = new SearchQuery("", Map.of("word", "c:\\"), Optional.empty(), 0, 20);
        SearchException refused = failure(() -> index.search(query));
        assertThat(refused.kind()).isEqualTo(FailureKind.POISON);
        assertThat(refused).hasMessageContaining("ends with a backslash");
    }

    @Test
    void a_task_that_takes_too_long_is_an_error_and_may_be_done_yet() {
        try (MeilisearchSearchEngine impatient = engine(Duration.ofSeconds(1))) {
            SearchIndex words = impatient.open("words", SCHEMA);
            server.taskTime(Duration.ofSeconds(3));
            SearchException failed = failure(() -> words.write(List.of(put("1", 1, "apple"))));
            assertThat(failed.kind()).isEqualTo(FailureKind.TRANSIENT);
            assertThat(failed).hasMessageContaining("was not completed within");
            server.taskTime(Duration.ZERO);
        }
        index.write(List.of(put("1", 2, "pear")));
        assertThat(server.documents("words").get("1")).containsEntry("word", "pear");
    }

    @Test
    void an_index_is_cleared_in_steps_on_a_server_that_is_slower_than_the_time_limit() {
        index.write(List.of(put("1", 1, "apple")));
        try (MeilisearchSearchEngine impatient = engine(Duration.ofMillis(100))) {
            SearchIndex words = impatient.open("words", SCHEMA);
            server.taskTime(Duration.ofMillis(300));
            String cleared = null;
            for (int attempt = 0; cleared == null && attempt < 100; attempt++) {
                try {
                    cleared = words.clear();
                } catch (SearchException e) {
                    assertThat(e.kind()).isEqualTo(FailureKind.TRANSIENT);
                }
            }
            assertThat(cleared).isEqualTo(words.id());
        } finally {
            server.taskTime(Duration.ZERO);
        }
        assertThat(server.documents("words")).isEmpty();
        assertThat(index.search(new SearchQuery("", Map.of(), Optional.empty(), 0, 20))
                        .documents())
                .isEmpty();
    }

    @Test
    void a_write_returns_when_its_task_is_done() {
        server.taskTime(Duration.ofMillis(50));
        index.write(List.of(put("1", 1, "apple")));
        assertThat(server.documents("words")).containsKey("1");
    }

    @Test
    void a_document_is_written_by_one_after_the_other() throws Exception {
        server.taskTime(Duration.ofMillis(500));
        long before = server.tasks();
        FutureTask<Void> first = new FutureTask<>(() -> index.write(List.of(put("1", 2, "pear"))), null);
        Thread.ofVirtual().start(first);
        while (server.tasks() == before) {
            Thread.onSpinWait();
        }
        index.write(List.of(put("1", 1, "apple")));
        first.get(30, TimeUnit.SECONDS);
        assertThat(server.documents("words").get("1")).containsEntry("word", "pear");
    }

    @Test
    void a_task_that_the_server_has_forgotten_is_sent_again() {
        server.forgetTasks(true);
        SearchException failed = failedWrite();
        assertThat(failed.kind()).isEqualTo(FailureKind.TRANSIENT);
        assertThat(failed).hasMessageContaining("task_not_found");
        server.forgetTasks(false);
        index.write(List.of(put("1", 1, "apple")));
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void an_address_where_something_else_is_is_the_fault_of_this_process() {
        try (MeilisearchSearchEngine astray = MeilisearchSearchEngine.of(
                server.url().resolve("/elsewhere"), Optional.empty(), Duration.ofSeconds(20))) {
            SearchException failed = failure(() -> astray.open("words", SCHEMA));
            assertThat(failed.kind()).isEqualTo(FailureKind.LOCAL);
            assertThat(failed).hasMessageContaining("http_404");
        }
    }

    @Test
    void documents_that_are_not_newer_are_not_sent() {
        index.write(List.of(put("1", 5, "apple")));
        long before = server.tasks();
        index.write(List.of(put("1", 4, "pear"), new SearchChange.Delete("1", 5)));
        assertThat(server.tasks()).isEqualTo(before);
    }

    @Test
    void a_tombstone_is_a_document_that_no_search_shows() {
        index.write(List.of(new SearchChange.Delete("1", 5)));
        assertThat(server.documents("words").get("1")).containsEntry("_deleted", true);
        assertThat(index.search(SearchQuery.of("")).documents()).isEmpty();
        index.optimize(Duration.ZERO);
        assertThat(server.documents("words")).isEmpty();
    }

    @Test
    void a_large_batch_goes_in_several_requests() {
        long before = server.tasks();
        String text = "x".repeat(3 << 20);
        index.write(List.of(put("1", 1, text), put("2", 1, text), put("3", 1, text), put("4", 1, text)));
        assertThat(index.size()).isEqualTo(4);
        assertThat(server.tasks() - before).isEqualTo(2);
    }

    @Test
    void the_index_of_another_program_is_left_alone() {
        server.createForeign("movies", "id");
        assertThat(engine.indexes()).containsExactly("words");
        assertThat(failure(() -> engine.open("movies", SCHEMA)).kind()).isEqualTo(FailureKind.FATAL);
        assertThat(failure(() -> engine.drop("movies"))).hasMessageContaining("not created by spream");
    }

    @Test
    void an_index_that_was_dropped_elsewhere_is_fatal_and_not_made_anew() {
        try (MeilisearchSearchEngine other = engine(Duration.ofSeconds(20))) {
            assertThat(other.drop("words")).isTrue();
        }
        assertThat(failedWrite().kind()).isEqualTo(FailureKind.FATAL);
        assertThat(engine.indexes()).isEmpty();
    }

    @Test
    void an_index_that_was_made_anew_elsewhere_is_another_one_and_not_written() {
        index.write(List.of(put("1", 1, "apple")));
        try (MeilisearchSearchEngine other = engine(Duration.ofSeconds(20))) {
            assertThat(other.drop("words")).isTrue();
            other.open("words", SCHEMA);
        }
        SearchException failed = failure(() -> index.write(List.of(put("2", 1, "pear"))));
        assertThat(failed.kind()).isEqualTo(FailureKind.FATAL);
        assertThat(failed).hasMessageContaining("nothing was written").hasMessageContaining("projection rebuild");
        assertThat(server.documents("words")).isEmpty();
    }

    @Test
    void reading_the_id_of_an_index_does_not_allow_writing_to_it() {
        String id = index.id();
        try (MeilisearchSearchEngine other = engine(Duration.ofSeconds(20))) {
            assertThat(other.drop("words")).isTrue();
            other.open("words", SCHEMA);
        }
        assertThat(index.id()).isNotEqualTo(id);
        assertThat(index.expect(id)).isFalse();
        assertThat(failedWrite().kind()).isEqualTo(FailureKind.FATAL);
        assertThat(server.documents("words")).isEmpty();
    }

    @Test
    void a_restored_index_continues_in_the_process_that_missed_it() {
        index.write(List.of(put("1", 1, "apple")));
        String id = index.id();
        Runnable back = server.takeAway("words");
        assertThat(index.expect(id)).isFalse();
        try (MeilisearchSearchEngine other = engine(Duration.ofSeconds(20))) {
            SearchIndex missed = other.open("words", new SearchSchema(List.of("word"), Set.of("word"), Set.of()));
            assertThat(missed.expect(id)).isFalse();
            assertThat(index.expect(id)).isFalse();
            back.run();
            assertThat(missed.expect(id)).isTrue();
            missed.write(List.of(put("2", 1, "pear")));
            assertThat(missed.search(new SearchQuery("", Map.of("word", "apple"), Optional.empty(), 0, 20))
                            .documents())
                    .extracting(SearchDocument::id)
                    .containsExactly("1");
        }
        assertThat(index.expect(id)).isTrue();
        index.write(List.of(put("3", 1, "plum")));
        assertThat(server.documents("words")).containsOnlyKeys("1", "2", "3");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2}) // it is dropped, made, and given its settings
    void an_index_that_was_emptied_in_part_is_emptied_by_the_next_rebuild(int failing) throws Exception {
        index.write(List.of(new SearchChange.Delete("1", 5)));
        String before = index.id();
        try (MeilisearchSearchEngine elsewhere = engine(Duration.ofSeconds(20))) {
            SearchProjection first = new SearchProjection("words", NOTHING, index);
            SearchProjection second = new SearchProjection("words", NOTHING, elsewhere.open("words", SCHEMA));
            server.failTask(failing, "internal", "no_space_left_on_device");
            assertThatThrownBy(first::begin)
                    .isInstanceOfSatisfying(
                            ProjectionException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.TRANSIENT));
            assertThat(index.size()).isZero();
            assertThat(index.expect(before)).isEqualTo(failing == 0);
            String id = second.begin();
            first.require(id);
            second.require(id);
            index.write(List.of(put("1", 1, "pear")));
            assertThat(index.size()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void an_index_that_was_emptied_in_part_is_not_written(int failing) {
        server.failTask(failing, "internal", "no_space_left_on_device");
        assertThat(failure(index::clear).kind()).isEqualTo(FailureKind.TRANSIENT);
        assertThat(failedWrite().kind()).isEqualTo(FailureKind.FATAL);
        assertThat(server.documents("words")).isEmpty();
        assertThat(index.clear()).isEqualTo(index.id());
        index.write(List.of(put("1", 1, "apple")));
        assertThat(index.search(SearchQuery.of("apple")).documents()).hasSize(1);
    }

    @Test
    void without_the_filter_on_deletions_every_document_counts() {
        engine.drop("words");
        try (MeilisearchClient late = new MeilisearchClient(
                server.url(), Optional.empty(), Duration.ofSeconds(20))) { // makes it without settings
            late.changeText("POST", "/indexes/words/documents", "[{\"_id\":\"1\",\"_version\":1,\"_deleted\":true}]");
        }
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void settings_that_are_there_are_not_sent_again() {
        long before = server.tasks();
        engine.open("words", SCHEMA);
        assertThat(server.tasks()).isEqualTo(before);
    }
}
