package dev.spream.projection.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.FailureKind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class IndexMaintenanceTest {
    private static final Duration WEEK = Duration.ofDays(7);

    private final Map<Integer, Optimized> indexes = new ConcurrentHashMap<>();

    private Optimized index(int version) {
        return indexes.computeIfAbsent(version, any -> new Optimized());
    }

    private Duration optimized(int version) throws InterruptedException {
        return Optional.ofNullable(index(version).ages.poll(30, TimeUnit.SECONDS))
                .orElseThrow(() -> new AssertionError("version %d was not optimized".formatted(version)));
    }

    @Test
    void every_index_that_was_opened_is_optimized_again_and_again() throws Exception {
        try (IndexMaintenance maintenance = IndexMaintenance.start(Duration.ofMillis(1), WEEK)) {
            IntFunction<SearchIndex> kept = maintenance.keeping(this::index);
            assertThat(kept.apply(1)).isSameAs(index(1));
            assertThat(optimized(1)).isEqualTo(WEEK);
            assertThat(kept.apply(2)).isSameAs(index(2));
            assertThat(optimized(2)).isEqualTo(WEEK);
            assertThat(optimized(1)).isEqualTo(WEEK);
            assertThat(optimized(1)).isEqualTo(WEEK);
        }
    }

    @Test
    void indexes_of_several_projections_are_all_optimized() throws Exception {
        Optimized words = new Optimized();
        Optimized people = new Optimized();
        try (IndexMaintenance maintenance = IndexMaintenance.start(Duration.ofMillis(1), WEEK)) {
            assertThat(maintenance.keeping(version -> words).apply(1)).isSameAs(words);
            assertThat(maintenance.keeping(version -> people).apply(1)).isSameAs(people);
            assertThat(people.ages.poll(30, TimeUnit.SECONDS)).isEqualTo(WEEK);
            assertThat(words.ages.poll(30, TimeUnit.SECONDS)).isEqualTo(WEEK);
            words.ages.clear();
            assertThat(words.ages.poll(30, TimeUnit.SECONDS)).isEqualTo(WEEK);
        }
    }

    @Test
    void one_that_fails_is_tried_again_and_does_not_stop_the_others() throws Exception {
        try (IndexMaintenance maintenance = IndexMaintenance.start(Duration.ofMillis(1), WEEK)) {
            IntFunction<SearchIndex> kept = maintenance.keeping(this::index);
            assertThat(kept.apply(1)).isSameAs(index(1));
            index(1).failing = true;
            assertThat(kept.apply(2)).isSameAs(index(2));
            optimized(1);
            optimized(2);
            optimized(1);
            optimized(2);
        }
    }

    @Test
    void invalid_intervals_are_refused() {
        assertThatThrownBy(() -> IndexMaintenance.start(Duration.ZERO, WEEK)).hasMessageContaining("must be positive");
        assertThatThrownBy(() -> IndexMaintenance.start(WEEK, Duration.ofDays(-1)))
                .hasMessageContaining("not be negative");
    }

    private static final class Optimized implements SearchIndex {
        private final LinkedBlockingQueue<Duration> ages = new LinkedBlockingQueue<>();
        private volatile boolean failing;

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
        public long size() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void optimize(Duration tombstones) {
            ages.add(tombstones);
            if (failing) {
                throw new SearchException(FailureKind.TRANSIENT, "a test wants it", null);
            }
        }

        @Override
        public void close() {}
    }
}
