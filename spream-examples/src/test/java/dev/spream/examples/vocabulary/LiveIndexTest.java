package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.projection.ProjectionVersion;
import dev.spream.core.projection.VersionRole;
import dev.spream.core.search.SearchChange;
import dev.spream.core.search.SearchIndex;
import dev.spream.core.search.SearchQuery;
import dev.spream.core.search.SearchResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LiveIndexTest {
    private final List<Integer> opened = new ArrayList<>();

    @Test
    void it_is_that_of_the_version_which_is_live() {
        LiveIndex index = new LiveIndex(
                () -> List.of(
                        version(1, VersionRole.RETIRED), version(2, VersionRole.LIVE), version(3, VersionRole.SHADOW)),
                this::open);
        assertThat(index.get().size()).isEqualTo(2);
        assertThat(index.get()).isSameAs(index.get());
        assertThat(opened).containsExactly(2);
    }

    @Test
    void it_is_the_first_before_the_projection_has_run() {
        assertThat(new LiveIndex(List::of, this::open).get().size()).isEqualTo(1);
    }

    @Test
    void nothing_is_searched_as_long_as_the_store_has_never_answered() {
        LiveIndex index = new LiveIndex(
                () -> {
                    throw new StorageException("the database is away", true, null);
                },
                this::open);
        assertThatThrownBy(index::get).isInstanceOf(StorageException.class);
        assertThat(opened).isEmpty();
    }

    private static ProjectionVersion version(int number, VersionRole role) {
        return new ProjectionVersion(VocabularyDocuments.PROJECTION, number, 1, role, 0, true);
    }

    private SearchIndex open(int version) {
        opened.add(version);
        return new Numbered(version);
    }

    /** Has as many documents as its version says. */
    private record Numbered(long size) implements SearchIndex {
        @Override
        public void write(List<SearchChange> changes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SearchResult search(SearchQuery query) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void optimize(Duration tombstones) {}

        @Override
        public void close() {}
    }
}
