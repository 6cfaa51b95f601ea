package dev.spream.examples.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.ProjectionHealth;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchProjection;
import dev.spream.search.lucene.LuceneSearchEngine;
import dev.spream.search.meilisearch.MeilisearchSearchEngine;
import dev.spream.servers.MeilisearchDouble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Search indexes follow events while engines fail and processes end: nothing is lost, what was deleted stays so, and what
 * PostgreSQL counts as done is in the index. {@code -Dsearch.seed=…} repeats what is chosen.
 */
@Timeout(300)
final class SearchProjectionIT {
    private static final long SEED = Long.getLong("search.seed", System.nanoTime() % 1_000_000);
    private static final Act ACT = new Act("on-call", "fixed it");
    private static final int WORDS = 20;
    private static final int ROUNDS = Integer.getInteger("search.rounds", 6);
    private static final int EVENTS_IN_A_ROUND = 30;

    private final SearchBench bench = new SearchBench();
    private final SplittableRandom random = new SplittableRandom(SEED);
    private MeilisearchDouble server;
    private SearchEngine meilisearch;

    @TempDir
    Path directory;

    @BeforeEach
    void startServer() throws IOException {
        server = MeilisearchDouble.start();
        meilisearch = engine();
    }

    private SearchEngine engine() {
        return MeilisearchSearchEngine.of(server.url(), Optional.of("key"), Duration.ofMillis(500));
    }

    @AfterEach
    void close() {
        meilisearch.close();
        server.close();
        bench.close();
    }

    private void appendSome() {
        for (int i = 0; i < EVENTS_IN_A_ROUND; i++) {
            Words.append(bench.events, "word-" + random.nextInt(WORDS), random.nextInt(6));
        }
    }

    @Test
    void nothing_is_lost_whatever_the_server_does() {
        SearchIndex index = meilisearch.open(SearchBench.NAME, Words.SCHEMA);
        SearchBench.Process process = bench.start(index);
        for (int round = 0; round < ROUNDS; round++) {
            appendSome();
            switch (round % 6) {
                case 0 -> server.down(true);
                case 1 -> server.taskTime(Duration.ofMillis(random.nextInt(30)));
                case 2 -> server.failTask(random.nextInt(3), "internal", "no_space_left_on_device");
                case 3 -> server.loseAnswers(1 + random.nextInt(3));
                case 4 -> server.failRequests(1 + random.nextInt(3));
                default -> {
                    process.close();
                    process = bench.start(index);
                }
            }
            appendSome();
            server.down(false);
            bench.requireIndexAhead(index);
        }
        server.taskTime(Duration.ZERO);
        bench.awaitIndex(index);
        process.close();
        assertThat(bench.largestCall.get()).isGreaterThan(1);
    }

    @Test
    void a_server_that_does_its_tasks_too_late_is_waited_for() {
        SearchIndex index = meilisearch.open(SearchBench.NAME, Words.SCHEMA);
        appendSome();
        server.taskTime(Duration.ofMillis(700)); // longer than the engine waits
        try (SearchBench.Process process = bench.start(index)) {
            assertThat(process).isNotNull();
            SearchBench.await("tasks", () -> server.tasks() > 3, () -> server.tasks() + " tasks");
            bench.requireIndexAhead(index);
            server.taskTime(Duration.ZERO);
            bench.awaitIndex(index);
        }
    }

    @Test
    void nothing_is_lost_when_processes_end_in_the_middle() {
        SearchEngine engine = LuceneSearchEngine.open(directory);
        SearchIndex index = engine.open(SearchBench.NAME, Words.SCHEMA);
        for (int round = 0; round < ROUNDS / 2; round++) {
            try (SearchBench.Process process = bench.start(index)) {
                assertThat(process).isNotNull();
                appendSome();
                appendSome();
                bench.requireIndexAhead(index);
            }
            bench.requireIndexAhead(index);
            if (round % 3 == 0) {
                engine.close();
                engine = LuceneSearchEngine.open(directory);
                index = engine.open(SearchBench.NAME, Words.SCHEMA);
                bench.requireIndexAhead(index);
            }
        }
        try (SearchBench.Process process = bench.start(index)) {
            assertThat(process).isNotNull();
            bench.awaitIndex(index);
        }
        engine.close();
    }

    @Test
    void an_empty_folder_ends_the_process_that_has_it_and_no_other() {
        try (SearchEngine engine = LuceneSearchEngine.open(directory.resolve("right"));
                SearchEngine empty = LuceneSearchEngine.open(directory.resolve("wrong"));
                SearchBench.Process healthy = bench.start(indexes(engine))) {
            appendSome();
            bench.awaitIndex(engine.open("words-v1", Words.SCHEMA));
            try (SearchBench.Process astray = bench.start(indexes(empty))) {
                assertThat(astray.failure())
                        .isInstanceOfSatisfying(
                                ProjectionException.class,
                                e -> assertThat(e.kind()).isEqualTo(FailureKind.LOCAL))
                        .hasMessageStartingWith("this process cannot run 'words': ")
                        .hasMessageContaining("is not the one that projection 'words' has written")
                        .hasMessageContaining("restart it");
                assertThat(astray.health().isReady()).isFalse();
            }
            appendSome();
            bench.awaitIndex(engine.open("words-v1", Words.SCHEMA));
            requireRunning();
            SearchBench.await(
                    "the healthy process ready",
                    () -> healthy.health().status() == ProjectionHealth.Status.HEALTHY
                            && healthy.health().isReady(),
                    () -> healthy.health().json());
            SearchBench.await(
                    "all segments with the healthy process",
                    () -> bench.operations.show(SearchBench.NAME).orElseThrow().segments().stream()
                            .allMatch(segment -> segment.owner()
                                    .filter(owner -> owner.startsWith("process-1"))
                                    .isPresent()),
                    () -> bench.operations.show(SearchBench.NAME).toString());
        }
    }

    private void requireRunning() {
        ProjectionState state =
                bench.operations.show(SearchBench.NAME).orElseThrow().state();
        assertThat(state.status()).isEqualTo(ProjectionStatus.RUNNING);
        assertThat(state.epoch()).as("it never had another status").isEqualTo(1);
    }

    @Test
    void an_index_that_is_lost_ends_its_process_and_is_built_anew_beside_it() throws IOException {
        loseTheIndex();
        try (SearchEngine engine = LuceneSearchEngine.open(directory)) {
            SearchIndex second = engine.open("words-v2", Words.SCHEMA);
            second.write(List.of(new SearchChange.Put(new SearchDocument("ghost", Map.of("word", "boo")), 1)));
            requireAstray(engine, "is not the one that projection 'words' has written");
            assertThat(directory.resolve("words-v1")).doesNotExist();
            assertThat(bench.operations.rebuilds().rebuild(SearchBench.NAME, OptionalInt.empty(), 0, ACT))
                    .isEqualTo(2);
            try (SearchBench.Process process = bench.start(indexes(engine))) {
                SearchBench.await(
                        "the version caught up",
                        () -> bench.operations.rebuilds().progress(SearchBench.NAME).stream()
                                .allMatch(RebuildProgress::isCaughtUp),
                        () -> bench.operations
                                .rebuilds()
                                .progress(SearchBench.NAME)
                                .toString());
                assertThat(process.health().isReady()).isFalse();
                bench.operations.rebuilds().cutOver(SearchBench.NAME, 2, Duration.ofSeconds(20), Set.of(), ACT);
                appendSome();
                bench.awaitIndex(second);
                SearchBench.await(
                        "the process ready",
                        () -> process.health().isReady(),
                        () -> process.health().json());
            }
        }
    }

    private void loseTheIndex() throws IOException {
        try (SearchEngine engine = LuceneSearchEngine.open(directory);
                SearchBench.Process process = bench.start(indexes(engine))) {
            assertThat(process).isNotNull();
            appendSome();
            bench.awaitIndex(engine.open("words-v1", Words.SCHEMA));
        }
        Files.move(directory.resolve("words-v1"), directory.resolve("lost"));
        appendSome();
    }

    private void requireAstray(SearchEngine engine, String error) {
        try (SearchBench.Process process = bench.start(indexes(engine))) {
            assertThat(process.failure()).hasMessageContaining(error);
        }
        requireRunning();
    }

    @Test
    void a_restored_index_continues_when_the_process_is_restarted() throws IOException {
        loseTheIndex();
        try (SearchEngine engine = LuceneSearchEngine.open(directory)) {
            requireAstray(engine, "restore that index");
            Files.move(directory.resolve("lost"), directory.resolve("words-v1"));
            try (SearchBench.Process process = bench.start(indexes(engine))) {
                assertThat(process).isNotNull();
                bench.awaitIndex(engine.open("words-v1", Words.SCHEMA));
            }
        }
    }

    private static IntFunction<SearchIndex> indexes(SearchEngine engine) {
        return SearchProjection.versions(engine, SearchBench.NAME, Words.SCHEMA);
    }

    @Test
    void of_a_batch_the_one_document_that_is_refused_is_parked_alone() {
        server.refuseDocument("word-13");
        SearchIndex index = meilisearch.open(SearchBench.NAME, Words.SCHEMA);
        for (int word = 0; word < 40; word++) {
            Words.append(bench.events, "word-" + word, 0);
        }
        try (SearchBench.Process process = bench.start(index)) {
            assertThat(process).isNotNull();
            SearchBench.await(
                    "the word parked",
                    () -> bench.parked().size() == 1 && index.size() == 39,
                    () -> bench.parked() + " parked, " + index.size() + " there");
            ParkedAggregate parked = bench.parked().getFirst();
            assertThat(parked.key()).isEqualTo("word-13");
            assertThat(parked.reason()).isEqualTo(ParkReason.POISON);
            Map<String, Map<String, Object>> documents = SearchBench.documents(index);
            assertThat(documents).doesNotContainKey("word-13").hasSize(39);
            assertThat(bench.operations.skip(SearchBench.NAME, "word-13", 1, ACT))
                    .isTrue();
            SearchBench.await(
                    "nothing parked",
                    () -> bench.parked().isEmpty(),
                    () -> bench.parked().toString());
        }
    }

    @Test
    void a_key_that_the_server_refuses_ends_the_process_and_parks_nothing() {
        SearchIndex index = meilisearch.open(SearchBench.NAME, Words.SCHEMA);
        appendSome();
        server.requireKey("another key");
        try (SearchBench.Process process = bench.start(index)) {
            assertThat(process.failure()).hasMessageContaining("invalid_api_key");
        }
        requireRunning();
        assertThat(bench.parked()).isEmpty();
        server.requireKey("key");
        try (SearchBench.Process process = bench.start(index)) {
            assertThat(process).isNotNull();
            bench.awaitIndex(index);
        }
    }
}
