package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.examples.fault.Await;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchResult;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class LiveIndexTest {
    private final List<Integer> opened = new ArrayList<>();
    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);

    @Test
    void it_is_that_of_the_version_which_is_live() {
        LiveIndex index = new LiveIndex(
                () -> List.of(
                        version(1, VersionRole.RETIRED),
                        version(2, VersionRole.LIVE),
                        version(3, VersionRole.CANDIDATE)),
                this::open,
                now::get);
        assertThat(index.get().size()).isEqualTo(2);
        assertThat(index.get()).isSameAs(index.get());
        assertThat(opened).containsExactly(2);
    }

    @Test
    void it_is_the_first_before_the_projection_has_run() {
        assertThat(new LiveIndex(List::of, this::open, now::get).get().size()).isEqualTo(1);
    }

    @Test
    void nothing_is_searched_as_long_as_the_store_has_never_answered() {
        LiveIndex index = new LiveIndex(
                () -> {
                    throw new StorageException("the database is away", true, null);
                },
                this::open,
                now::get);
        assertThatThrownBy(index::get).isInstanceOf(StorageException.class);
        assertThat(opened).isEmpty();
    }

    @Test
    @Timeout(60)
    void searches_stay_with_the_version_that_was_live_while_the_store_does_not_answer() throws Exception {
        CountDownLatch away = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        LiveIndex index = new LiveIndex(
                () -> {
                    if (asked.incrementAndGet() == 1) {
                        return List.of(version(1, VersionRole.LIVE));
                    }
                    awaitUninterrupted(away);
                    return List.of(version(2, VersionRole.LIVE));
                },
                this::open,
                now::get);
        assertThat(index.get().size()).isEqualTo(1);
        now.set(Instant.EPOCH.plusSeconds(2));
        assertThat(index.get().size()).as("of the search that asks").isEqualTo(1);
        assertThat(index.get().size()).as("of another search").isEqualTo(1);
        assertThat(asked).hasValue(2);
        away.countDown();
        Await.until(Duration.ofSeconds(60), () -> index.get().size() == 2, () -> "still version 1");
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Timeout(60)
    void the_store_is_asked_again_after_it_has_failed() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        LiveIndex index = new LiveIndex(
                () -> switch (asked.incrementAndGet()) {
                    case 1 -> List.of(version(1, VersionRole.LIVE));
                    case 2 -> throw new StorageException("the database is away", true, null);
                    default -> List.of(version(2, VersionRole.LIVE));
                },
                this::open,
                now::get);
        assertThat(index.get().size()).isEqualTo(1);
        Await.until(
                Duration.ofSeconds(60),
                () -> {
                    now.updateAndGet(before -> before.plusSeconds(2));
                    return index.get().size() == 2;
                },
                () -> "asked %s times".formatted(asked));
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
        public String id() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean expect(String id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String clear() {
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
