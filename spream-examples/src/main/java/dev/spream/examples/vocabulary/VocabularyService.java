package dev.spream.examples.vocabulary;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.ConfiguredProjections;
import dev.spream.api.ProjectionErrorRate;
import dev.spream.api.ProjectionHealth;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.metrics.ProjectionMetrics;
import dev.spream.api.metrics.SearchMetrics;
import dev.spream.core.StorageException;
import dev.spream.examples.http.JsonServer;
import dev.spream.examples.http.Parts;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.search.IndexMaintenance;
import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;
import dev.spream.projection.search.SearchProjection;
import dev.spream.storage.jdbc.JdbcPool;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * The vocabulary service: commands in, events, two projections of them, queries and searches out. The environment
 * configures it:
 * <ul>
 *   <li>{@code DATABASE_URL} of the read model and {@code EVENT_STORE_URL} of the events, as {@code
 *       postgres://user:password@host:5432/database}, with user and password percent-encoded; they may be the same;
 *   <li>{@code VOCABULARY_EVENTS}, the origin of the events: {@code event-store}, the default; {@code change-stream},
 *       with {@code SPANNER_DATABASE} and optionally {@code SPANNER_EMULATOR_HOST}; or {@code pubsub}, with {@code
 *       PUBSUB_PROJECT_ID}, {@code PUBSUB_TOPIC}, {@code PUBSUB_SUBSCRIPTION}, {@code PUBSUB_ACK_DEADLINE} and
 *       optionally {@code PUBSUB_EMULATOR_HOST};
 *   <li>{@code MEILISEARCH_URL} and {@code MEILISEARCH_API_KEY}, or else {@code SEARCH_DIRECTORY} of a Lucene index,
 *       which belongs to one process and must live as long as the database of the read model;
 *   <li>{@code BATCH_SIZE} (100) and {@code BATCH_FLUSH_INTERVAL} (5s), the number of events in a batch of the search
 *       index, and the longest wait for them;
 *   <li>{@code MAX_RETRY_ATTEMPTS}, 0 to 999 after the first, {@code INITIAL_RETRY_DELAY} and {@code MAX_RETRY_DELAY}
 *       of an event that fails;
 *   <li>{@code VOCABULARY_HTTP} (8080) and {@code MANAGEMENT_HTTP} (9090), ports of this machine alone, or host and
 *       port.
 * </ul>
 *
 * <p>All other configuration keys of spream are variables {@code SPREAM_CONFIG_…}. Started and closed by one thread.
 */
final class VocabularyService implements AutoCloseable {
    private static final int CONNECTIONS = 10; // for queries
    private static final Duration DRAIN = Duration.ofSeconds(5);

    private final Parts parts = new Parts();
    private final VocabularySettings settings;
    private final PrometheusMeterRegistry registry;
    private final ProjectionErrorRate errorRate = new ProjectionErrorRate(InstantSource.system());
    private final Optional<PubsubOutbox> outbox;
    private final EntryCommands commands;
    private final ProjectionManager<Connection> manager;
    private final FutureTask<Void> projections;
    private final LiveIndex index;
    private final URI uri;
    private final URI managementUri;

    private VocabularyService(Map<String, String> environment, Duration sampled) throws IOException, SQLException {
        settings = new VocabularySettings(environment);
        registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        parts.add(registry::close);
        Stream.of(
                        parts.add(new JvmGcMetrics()),
                        new ClassLoaderMetrics(),
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new FileDescriptorMetrics(),
                        new ProcessorMetrics(),
                        new UptimeMetrics())
                .forEach(meters -> meters.bindTo(registry));
        try {
            SpreamConfig config = settings.projections();
            ConfiguredProjections configured = parts.add(ConfiguredProjections.open(config));
            HikariDataSource database = parts.add(database(config));
            VocabularyTables.create(database);
            SearchEngine engine = configured.search();
            IndexMaintenance maintenance =
                    parts.add(IndexMaintenance.start(IndexMaintenance.INTERVAL, IndexMaintenance.TOMBSTONES));
            IntFunction<SearchIndex> searched =
                    SearchProjection.versions(engine, VocabularyDocuments.INDEX, VocabularyDocuments.SCHEMA);
            IntFunction<SearchIndex> indexes = maintenance.keeping(searched);
            ProjectionStore<Connection> store = configured.store(Connection.class);
            index = new LiveIndex(
                    () -> store.versions(VocabularyDocuments.PROJECTION), searched, InstantSource.system());
            commands = new EntryCommands(parts.add(entryLog(configured)), InstantSource.system());
            outbox = settings.events() == EventsFrom.PUBSUB
                    ? Optional.of(parts.add(PubsubOutbox.start(settings.relay(), registry)))
                    : Optional.empty();
            ProjectionMetrics metrics = ProjectionMetrics.of(registry);
            manager = parts.add(manager(configured, indexes, metrics));
            projections = new FutureTask<>(manager::run, null);
            start(configured.shutdownTimeout());
            List<Sampling.Sampled> samples = new ArrayList<>(outbox.stream().toList());
            samples.add(new ParkedEntries(configured.operations(), names(), metrics));
            parts.add(Sampling.start(sampled, samples));
            ManagementApi management =
                    new ManagementApi(this::health, () -> outbox.map(PubsubOutbox::health), registry);
            managementUri = parts.add(JsonServer.start("vocabulary-management", settings.managementHttp(), management))
                    .uri();
            VocabularyApi api = new VocabularyApi(commands, new VocabularyQueries(database), index);
            JsonServer server = parts.add(JsonServer.start("vocabulary-http", settings.http(), api));
            parts.add(() -> server.drain(DRAIN));
            uri = server.uri();
        } catch (Throwable t) {
            close();
            throw t;
        }
    }

    /**
     * Starts a service that runs until it is closed.
     *
     * @throws ConfigException if a value of the environment is invalid
     * @throws StorageException if a database cannot be reached
     * @throws SQLException if the tables of the read model cannot be created
     * @throws IOException if it cannot listen at an address
     */
    static VocabularyService start(Map<String, String> environment) throws IOException, SQLException {
        return start(environment, Sampling.INTERVAL);
    }

    /** @param sampled the interval of samples of parked events and of events to be published */
    static VocabularyService start(Map<String, String> environment, Duration sampled) throws IOException, SQLException {
        return new VocabularyService(environment, sampled);
    }

    private static HikariDataSource database(SpreamConfig config) {
        return JdbcPool.open(
                config.raw("projections.jdbc.url").orElse(""),
                config.raw("projections.jdbc.user"),
                config.raw("projections.jdbc.password"),
                CONNECTIONS);
    }

    private EntryLog entryLog(ConfiguredProjections configured) {
        return switch (settings.events()) {
            case EVENT_STORE, PUBSUB -> new StoredEntryLog(configured.events());
            case CHANGE_STREAM ->
                SpannerEntryLog.open(
                        settings.spannerDatabase(), settings.find(VocabularySettings.SPANNER_EMULATOR_HOST));
        };
    }

    private ProjectionManager<Connection> manager(
            ConfiguredProjections configured, IntFunction<SearchIndex> indexes, ProjectionMetrics metrics) {
        ProjectionManager.Builder<Connection> builder = configured
                .manager(Connection.class)
                .listener(metrics)
                .listener(errorRate)
                .add(new VocabularyReadModel(), configured.source())
                .add(
                        new SearchProjection(VocabularyDocuments.PROJECTION, new VocabularyDocuments(), indexes)
                                .listener(SearchMetrics.of(registry)),
                        configured.source(),
                        settings.searchOptions(configured.options()));
        outbox.ifPresent(publishing ->
                builder.add(publishing.relay(), parts.add(configured.events().source())));
        ProjectionManager<Connection> built = builder.build();
        metrics.watch(built::views);
        return built;
    }

    private List<String> names() {
        return manager.views().stream()
                .map(view -> view.version().projection())
                .distinct()
                .toList();
    }

    private void start(Duration shutdownTimeout) {
        Thread running = Thread.ofVirtual().name("vocabulary-projections").start(projections);
        parts.add(() -> {
            manager.shutdown(shutdownTimeout);
            running.join();
        });
    }

    /**
     * Waits until its projections have ended, as they do when it is closed.
     *
     * @throws ExecutionException if they failed, for example because the search index is not the one that they wrote;
     * queries still return earlier results until the service is closed
     */
    void awaitProjections() throws ExecutionException, InterruptedException {
        projections.get();
    }

    private ProjectionHealth health() {
        return new ProjectionHealth(manager.views(), errorRate.current());
    }

    EntryCommands commands() {
        return commands;
    }

    long found() {
        return index.get().size();
    }

    /** Returns the address of commands, queries, searches, and the page. */
    URI uri() {
        return uri;
    }

    /** Returns the address of health, readiness and metrics. */
    URI managementUri() {
        return managementUri;
    }

    /** Rejects new requests, waits for running requests and batches, and closes everything. */
    @Override
    public void close() {
        parts.close();
    }
}
