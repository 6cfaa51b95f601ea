package dev.spream.projection.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.NewEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SearchProjectionTest {
    private final Map<Integer, Calls> indexes = new TreeMap<>();
    private final List<Integer> told = new ArrayList<>();
    private final SearchProjection projection = new SearchProjection(
                    "words", new Texts(), version -> indexes.computeIfAbsent(version, any -> new Calls()))
            .listener((name, changes, took) -> told.add(changes));

    /** An event's text: {@code put x}, {@code merge x}, {@code delete}. */
    private static EventEnvelope event(String word, long version, String text) {
        return new NewEvent(
                        word + version,
                        text.split(" ", -1)[0],
                        text.substring(text.indexOf(' ') + 1),
                        Instant.EPOCH,
                        EventMetadata.NONE)
                .of(word, version);
    }

    private static final class Texts implements DocumentMapping {
        @Override
        public Set<String> eventTypes() {
            return Set.of();
        }

        @Override
        public List<SearchChange> changes(EventEnvelope event) {
            Map<String, Object> fields = Map.of(event.eventData(), event.eventVersion());
            return List.of(
                    switch (event.eventType()) {
                        case "put" ->
                            new SearchChange.Put(new SearchDocument(event.aggregateId(), fields), event.eventVersion());
                        case "merge" -> new SearchChange.Merge(event.aggregateId(), fields, event.eventVersion());
                        default -> new SearchChange.Delete(event.aggregateId(), event.eventVersion());
                    });
        }
    }

    private static final class Calls implements SearchIndex {
        private final List<List<SearchChange>> calls = new ArrayList<>();
        private String id = "an id";
        private long size;
        private Optional<SearchException> failure = Optional.empty();

        @Override
        public void write(List<SearchChange> changes) {
            failure.ifPresent(thrown -> {
                throw thrown;
            });
            calls.add(List.copyOf(changes));
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public boolean expect(String wanted) {
            return id.equals(wanted);
        }

        @Override
        public String clear() {
            size = 0;
            id += "'";
            return id;
        }

        @Override
        public SearchResult search(SearchQuery query) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long size() {
            return size;
        }

        @Override
        public void optimize(Duration tombstones) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private SearchChange joined(String... texts) throws Exception {
        Map<String, SearchChange> folded = projection.fold(null, event("w", 1, texts[0]));
        for (int i = 1; i < texts.length; i++) {
            folded = projection.fold(folded, event("w", i + 1, texts[i]));
        }
        return Optional.ofNullable(folded.get("w")).orElseThrow();
    }

    @Test
    void the_changes_of_a_batch_to_a_document_are_joined() throws Exception {
        assertThat(joined("put a", "merge b", "merge c"))
                .isEqualTo(new SearchChange.Put(new SearchDocument("w", Map.of("a", 1L, "b", 2L, "c", 3L)), 3));
        assertThat(joined("merge a", "merge a")).isEqualTo(new SearchChange.Merge("w", Map.of("a", 2L), 2));
        assertThat(joined("put a", "delete", "merge b")).isEqualTo(new SearchChange.Delete("w", 2));
        assertThat(joined("delete", "put a", "merge b"))
                .isEqualTo(new SearchChange.Put(new SearchDocument("w", Map.of("a", 2L, "b", 3L)), 3));
        assertThat(joined("put a", "merge b", "put c"))
                .isEqualTo(new SearchChange.Put(new SearchDocument("w", Map.of("c", 3L)), 3));
        assertThat(joined("put a", "merge b", "delete")).isEqualTo(new SearchChange.Delete("w", 3));
    }

    @Test
    void calls_are_bounded_and_told() {
        Map<String, Map<String, SearchChange>> folded = new LinkedHashMap<>();
        for (int i = 0; i < 2_300; i++) {
            folded.put("w" + i, Map.of("w" + i, new SearchChange.Delete("w" + i, 1)));
        }
        projection.write("a transaction", folded);
        assertThat(indexes.values())
                .flatExtracting(index -> index.calls)
                .extracting(List::size)
                .containsExactly(1_000, 1_000, 300);
        assertThat(told).containsExactly(1_000, 1_000, 300);
        projection.write("a transaction", Map.of("w", Map.of()));
        assertThat(told).hasSize(3);
    }

    @Test
    void each_version_has_an_index_which_is_opened_when_it_is_written() {
        SearchProjection second = projection.ofVersion(2);
        assertThat(projection.ofVersion(1)).isSameAs(projection);
        assertThat(second.name()).isEqualTo("words");
        assertThat(indexes).isEmpty();
        second.write("a transaction", Map.of("w", Map.of("w", new SearchChange.Delete("w", 1))));
        assertThat(indexes).containsOnlyKeys(2);
        assertThat(told).containsExactly(1);
        SearchProjection only = new SearchProjection("words", new Texts(), new Calls());
        assertThat(only.ofVersion(2)).isSameAs(only);
    }

    @Test
    void the_failure_kind_of_the_engine_decides_about_the_event() {
        Calls index = new Calls();
        index.failure = Optional.of(new SearchException(FailureKind.POISON, "refused: invalid_document_id", null));
        SearchProjection failing = new SearchProjection("words", new Texts(), index);
        assertThatThrownBy(() -> failing.apply("a transaction", event("w", 1, "put a")))
                .isInstanceOfSatisfying(
                        ProjectionException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.POISON))
                .hasMessage("refused: invalid_document_id");
    }

    @Test
    void a_rebuild_empties_its_index_and_a_first_version_requires_an_empty_one() {
        Calls first = new Calls();
        Calls second = new Calls();
        indexes.put(1, first);
        indexes.put(2, second);
        first.size = 3;
        second.size = 3;
        assertThatThrownBy(projection::begin)
                .isInstanceOfSatisfying(
                        ProjectionException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LOCAL))
                .hasMessageContaining("has 3 documents")
                .hasMessageContaining("drop that index");
        assertThat(first.size).isEqualTo(3);
        first.size = 0;
        assertThat(projection.begin()).isEqualTo(first.id);
        assertThat(projection.ofVersion(2).begin()).isEqualTo(second.id);
        assertThat(second.size).isZero();
    }

    @Test
    void another_index_than_was_begun_is_the_fault_of_this_process() {
        String begun = projection.begin();
        projection.require(begun);
        indexes.values().forEach(index -> index.id = "another");
        assertThatThrownBy(() -> projection.require(begun))
                .isInstanceOfSatisfying(
                        ProjectionException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.LOCAL))
                .hasMessageContaining("nothing was written")
                .hasMessageContaining("projection rebuild words");
    }
}
