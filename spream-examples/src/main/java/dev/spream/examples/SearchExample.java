package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.search.DocumentMapping;
import dev.spream.projection.search.IndexMaintenance;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchProjection;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchSchema;
import dev.spream.search.lucene.LuceneSearchEngine;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;
import javax.sql.DataSource;

/** A minimal program with a search index: it appends an event, indexes it with Lucene, and finds it. */
public final class SearchExample {
    private static final Duration DRAIN = Duration.ofSeconds(10);
    private static final SearchSchema SCHEMA =
            new SearchSchema(List.of("word", "definition"), Set.of("level"), Set.of("word"));

    private SearchExample() {}

    /** Takes the JDBC URL of a PostgreSQL database, and a folder for the index. */
    public static void main(String[] args) throws InterruptedException {
        if (args.length != 2) {
            System.err.println("usage: SearchExample <JDBC URL> <folder of the index>");
            System.exit(2);
        }
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty())) {
            System.out.println(found(database, Path.of(args[1])));
        }
    }

    static List<SearchDocument> found(DataSource database, Path directory) throws InterruptedException {
        try (SearchEngine engine = LuceneSearchEngine.open(directory);
                JdbcEventStore events = JdbcEventStore.create(database);
                EventSource source = events.source();
                JdbcProjectionStore store = JdbcProjectionStore.create(database);
                IndexMaintenance maintenance =
                        IndexMaintenance.start(IndexMaintenance.INTERVAL, IndexMaintenance.TOMBSTONES)) {
            IntFunction<SearchIndex> indexes = maintenance.keeping(SearchProjection.versions(engine, "words", SCHEMA));
            SearchProjection projection = new SearchProjection("words", new Words(), indexes);
            try (ProjectionManager<Connection> manager =
                    ProjectionManager.builder(store).add(projection, source).build()) {
                events.append("word-1", ExpectedVersion.any(), List.of(added()));
                follow(manager);
            }
            return indexes.apply(1).search(SearchQuery.of("larg")).documents();
        }
    }

    private static void follow(ProjectionManager<Connection> manager) throws InterruptedException {
        Thread running = Thread.ofVirtual().start(manager::run);
        while (manager.views().stream().anyMatch(SearchExample::isBehind)) {
            Thread.sleep(Duration.ofMillis(100));
        }
        manager.shutdown(DRAIN);
        running.join();
    }

    private static NewEvent added() {
        return new NewEvent(
                UUID.randomUUID().toString(), "WordAdded", "{\"word\": \"grande\"}", Instant.now(), EventMetadata.NONE);
    }

    private static boolean isBehind(ProjectionView view) {
        return view.lagEvents().orElse(1) > 0;
    }

    /** Maps each event to the document that it changes. */
    private static final class Words implements DocumentMapping {
        @Override
        public Set<String> eventTypes() {
            return Set.of("WordAdded", "WordDeleted");
        }

        @Override
        public List<SearchChange> changes(EventEnvelope event) {
            if (event.eventType().equals("WordDeleted")) {
                return List.of(new SearchChange.Delete(event.aggregateId(), event.eventVersion()));
            }
            Map<String, Object> fields = Map.of("word", "grande", "definition", "large", "level", "A1");
            return List.of(new SearchChange.Put(new SearchDocument(event.aggregateId(), fields), event.eventVersion()));
        }
    }
}
