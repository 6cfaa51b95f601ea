package dev.spream.examples.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.ProjectionHealth;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchProjection;
import dev.spream.projection.search.SearchQuery;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Events and what is known of progress in PostgreSQL, and processes that keep a search index. */
final class SearchBench implements AutoCloseable {
    static final String NAME = "words";

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final ProjectionOptions OPTIONS = ProjectionOptions.DEFAULTS
            .withSegments(2)
            .withBatch(50)
            .withLinger(Duration.ofMillis(5))
            .withLease(Duration.ofSeconds(2))
            .withRetries(1_000, Duration.ofMillis(1), Duration.ofMillis(50));

    final PostgresDatabase database = PostgresDatabase.create();
    final JdbcEventStore events = JdbcEventStore.create(database.source());
    final JdbcProjectionStore store = JdbcProjectionStore.create(database.source());
    final ProjectionOperations operations = JdbcProjectionOperations.create(database.source());
    final AtomicInteger largestCall = new AtomicInteger();
    private final AtomicInteger owners = new AtomicInteger();

    /** A process that runs the projection; closing it ends it at once, without finishing what it is at. */
    final class Process implements AutoCloseable {
        private final EventSource source = events.source();
        private final ProjectionManager<Connection> manager;
        private final FutureTask<Void> run;

        private Process(SearchProjection written) {
            SearchProjection projection =
                    written.listener((name, changes, took) -> largestCall.accumulateAndGet(changes, Math::max));
            manager = ProjectionManager.builder(store)
                    .options(OPTIONS)
                    .owner("process-" + owners.incrementAndGet())
                    .add(projection, source)
                    .build();
            run = new FutureTask<>(manager::run, null);
            Thread.ofVirtual().name("process").start(run);
        }

        /** Waits until it has ended because of a failure. */
        Throwable failure() {
            try {
                run.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                return Objects.requireNonNull(e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                throw new AssertionError("the process has not ended: " + operations.list(), e);
            }
            throw new AssertionError("the process has ended without a failure");
        }

        ProjectionHealth health() {
            return new ProjectionHealth(manager.views(), 0);
        }

        @Override
        public void close() {
            manager.close();
            await("the end of the process", run::isDone, () -> operations.list().toString());
            source.close();
        }
    }

    Process start(SearchIndex index) {
        return new Process(new SearchProjection(NAME, new Words(), index));
    }

    /** The same with an index for each version. */
    Process start(IntFunction<SearchIndex> indexes) {
        return new Process(new SearchProjection(NAME, new Words(), indexes));
    }

    List<RecordedEvent> allEvents() {
        return events.readAll(0, Integer.MAX_VALUE);
    }

    static Map<String, Map<String, Object>> documents(SearchIndex index) {
        Map<String, Map<String, Object>> documents = new TreeMap<>();
        found(index).forEach(document -> documents.put(document.id(), document.fields()));
        return documents;
    }

    /** Asks again as long as the engine fails as a test wants it. */
    private static List<SearchDocument> found(SearchIndex index) {
        SearchQuery all = new SearchQuery("", Map.of(), Optional.empty(), 0, 1_000);
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            try {
                return index.search(all).documents();
            } catch (SearchException e) {
                if (System.nanoTime() - until > 0) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    /**
     * Requires that the index has every event that PostgreSQL has recorded as applied: of each word, the document of
     * that version or a later one.
     */
    void requireIndexAhead(SearchIndex index) {
        Map<String, Long> done = lastVersions();
        Map<String, Map<String, Object>> documents = documents(index);
        List<RecordedEvent> all = allEvents();
        done.forEach((word, version) -> {
            List<RecordedEvent> ofWord = all.stream()
                    .filter(event -> event.event().aggregateId().equals(word))
                    .toList();
            boolean possible = IntStream.rangeClosed(Math.toIntExact(version), ofWord.size())
                    .mapToObj(count -> Words.fold(ofWord.subList(0, count)))
                    .anyMatch(state ->
                            Optional.ofNullable(state.get(word)).equals(Optional.ofNullable(documents.get(word))));
            assertThat(possible)
                    .as("%s is done up to version %d; the index has %s", word, version, documents.get(word))
                    .isTrue();
        });
    }

    private Map<String, Long> lastVersions() {
        Map<String, Long> versions = new TreeMap<>();
        try (Connection connection = database.source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT key, last_version FROM spream.projection_keys WHERE projection = '%s'"
                                .formatted(NAME))) {
            while (rows.next()) {
                versions.put(rows.getString(1), rows.getLong(2));
            }
            return versions;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    List<ParkedAggregate> parked() {
        return operations.parked(NAME, 1_000);
    }

    void awaitIndex(SearchIndex index) {
        Map<String, Map<String, Object>> expected = Words.fold(allEvents());
        await(
                "the index of all events",
                () -> documents(index).equals(expected),
                () -> "%s parked, expected %s, found %s".formatted(parked(), expected, documents(index)));
        await("nothing parked", () -> parked().isEmpty(), () -> parked().toString());
    }

    static void await(String what, BooleanSupplier condition, Supplier<String> state) {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("%s has not come about: %s".formatted(what, state.get()));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Override
    public void close() {
        events.close();
    }
}
