package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.EventStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.testkit.memory.InMemoryEventStore;
import dev.spream.testkit.memory.InMemoryProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of configured projections, run and operated. */
final class ConfiguredProjectionsTest {
    private static final List<String> NOTES = new CopyOnWriteArrayList<>();
    private static InMemoryProjectionStore memory = new InMemoryProjectionStore();

    @TempDir
    Path folder;

    private PluginRegistry plugins;

    @BeforeEach
    void open() throws IOException {
        NOTES.clear();
        memory = new InMemoryProjectionStore();
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(ProjectionStoreProvider.class.getName()), NotedProjections.class.getName());
        Files.writeString(services.resolve(EventStoreProvider.class.getName()), NotedEvents.class.getName());
        Files.writeString(services.resolve(EventSourceProvider.class.getName()), NotedSource.class.getName());
        plugins = PluginRegistry.discover(
                new URLClassLoader(
                        new URL[] {folder.toUri().toURL()}, ConfiguredProjectionsTest.class.getClassLoader()),
                Optional.empty());
    }

    @AfterEach
    void close() {
        plugins.close();
    }

    @Test
    void plugins_are_opened_once_at_the_first_use_and_closed_with_the_projections() {
        try (ConfiguredProjections configured =
                ConfiguredProjections.open(config(Map.of("event-source", "noted")), plugins)) {
            assertThat(NOTES).isEmpty();
            ProjectionStore<Transaction> store = configured.store(Transaction.class);
            assertThat(configured.store(Transaction.class)).isSameAs(store);
            assertThat(store.register("entries", 4).segments()).isEqualTo(4);
            assertThat(configured.operations()).isSameAs(configured.operations());
            assertThat(configured.operations().show("entries")).isPresent();
            assertThat(configured.events()).isSameAs(configured.events());
            assertThat(configured.source()).isSameAs(configured.source());
            assertThat(NOTES).containsExactly("store", "operations", "events", "source");
        }
        assertThat(NOTES)
                .containsExactly(
                        "store",
                        "operations",
                        "events",
                        "source",
                        "source closed",
                        "events closed",
                        "operations closed",
                        "store closed");
    }

    @Test
    void a_manager_applies_the_events_of_the_store_with_the_configured_options() throws Exception {
        CountDownLatch applied = new CountDownLatch(1);
        Projection<Transaction> counting = new Projection<>() {
            @Override
            public String name() {
                return "entries";
            }

            @Override
            public void apply(Transaction transaction, EventEnvelope event) {
                transaction.<String>table("entries").put(event.aggregateId(), event.eventType());
            }
        };
        ProjectionListener listener = new ProjectionListener() {
            @Override
            public void eventApplied(String projection, EventEnvelope event, Duration took) {
                applied.countDown();
            }
        };
        try (ConfiguredProjections configured =
                ConfiguredProjections.open(config(Map.of("projections.segments", "2", "worker", "blue")), plugins)) {
            configured
                    .events()
                    .append(
                            "word-1",
                            ExpectedVersion.none(),
                            List.of(new NewEvent("e-1", "EntryCreated", "{}", Instant.EPOCH, EventMetadata.NONE)));
            ProjectionManager<Transaction> manager = configured
                    .manager(Transaction.class)
                    .add(counting, configured.source())
                    .listener(listener)
                    .build();
            assertThat(manager.owner().name()).isEqualTo("blue");
            Thread running = Thread.ofVirtual().start(manager::run);
            assertThat(applied.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(manager.shutdown(configured.shutdownTimeout())).isTrue();
            running.join();
            assertThat(configured.operations().show("entries").orElseThrow().segments())
                    .hasSize(2);
        }
        assertThat(memory.<String>table("entries")).containsExactly(Map.entry("word-1", "EntryCreated"));
        assertThat(NOTES)
                .containsExactly("events", "store", "operations", "operations closed", "store closed", "events closed");
    }

    @Test
    void options_are_judged_when_the_desk_is_opened() {
        assertThat(optionsOf(Map.of())).isEqualTo(ProjectionOptions.DEFAULTS);
        assertThat(optionsOf(Map.of("projections.batch", "7"))).isEqualTo(ProjectionOptions.DEFAULTS.withBatch(7));
        assertThatThrownBy(() -> ConfiguredProjections.open(
                        config(Map.of("projections.segments", "3", "projections.leese", "1s")), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("projections.segments is '3'")
                .hasMessageContaining("did you mean projections.lease?");
        assertThatThrownBy(() -> ConfiguredProjections.open(config(Map.of("projections.initial-delay", "1m")), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("projections.max-delay is 30s, but projections.initial-delay is 1m");
    }

    private ProjectionOptions optionsOf(Map<String, String> more) {
        try (ConfiguredProjections configured = ConfiguredProjections.open(config(more), plugins)) {
            return configured.options();
        }
    }

    @Test
    void operating_needs_no_configured_event_source() {
        Map<String, String> without = Map.of("event-source", "noted", "event-source.noted.token", "${file:/not/there}");
        try (ConfiguredProjections configured = ConfiguredProjections.open(config(without), plugins)) {
            assertThat(configured.operations().list()).isEmpty();
            assertThatThrownBy(configured::source)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("event-source.noted.token");
        }
    }

    @Test
    void events_have_to_come_from_somewhere() {
        SpreamConfig nowhere = SpreamConfig.of(Map.of("projections", "noted"));
        try (ConfiguredProjections configured = ConfiguredProjections.open(nowhere, plugins)) {
            assertThatThrownBy(configured::events)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("events is not configured: name the event store");
            assertThatThrownBy(configured::source)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("event-source is not configured: name the event source");
        }
    }

    @Test
    void a_change_stream_needs_its_source_and_storage_and_opens_a_storage_for_each_projection() throws Exception {
        Map<String, String> nothing =
                Map.of("event-source", "change-stream", "event-source.change-stream.table", "Events");
        try (ConfiguredProjections configured = ConfiguredProjections.open(config(nothing), plugins)) {
            assertThatThrownBy(configured::source)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("source is not configured: name the source")
                    .hasMessageContaining("storage is not configured: name the storage");
        }
        RecordingPlugins.NOTES.clear();
        try (PluginRegistry streams = RecordingPlugins.discover(folder);
                ConfiguredProjections configured = ConfiguredProjections.open(
                        config(Map.of(
                                "event-source",
                                "change-stream",
                                "event-source.change-stream.table",
                                "Events",
                                "source",
                                "noted",
                                "storage",
                                "noted",
                                "subscription",
                                "words")),
                        streams)) {
            EventSource source = configured.source();
            assertThat(source.positioned()).isFalse();
            assertThat(RecordingPlugins.NOTES).containsExactly("source of words-events opened");
            source.open(FeedRequest.all("entries")).close();
            assertThat(RecordingPlugins.NOTES).contains("storage of words-entries opened");
        }
        assertThat(RecordingPlugins.NOTES).contains("storage closed").last().isEqualTo("source closed");
    }

    @Test
    void transactions_of_another_type_are_refused() {
        try (ConfiguredProjections configured = ConfiguredProjections.open(config(Map.of()), plugins)) {
            assertThatThrownBy(() -> configured.store(String.class))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(
                            "projections noted work in transactions of type " + Transaction.class.getName());
        }
    }

    @Test
    void a_name_that_no_owner_can_have_is_a_problem_of_the_configuration() {
        try (ConfiguredProjections configured = ConfiguredProjections.open(config(Map.of("worker", "a/b")), plugins)) {
            assertThatThrownBy(() -> configured.manager(Transaction.class))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("worker: owner name 'a/b'");
        }
    }

    @Test
    void a_configuration_without_projections_is_refused() {
        assertThatThrownBy(() -> ConfiguredProjections.open(SpreamConfig.of(Map.of()), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("projections is not configured: name the projection store")
                .hasMessageContaining("noted (");
        assertThatThrownBy(() -> ConfiguredProjections.open(SpreamConfig.of(Map.of("projections", "notd")), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("did you mean noted?");
    }

    private static SpreamConfig config(Map<String, String> more) {
        SpreamConfig.Builder config =
                SpreamConfig.builder().set("projections", "noted").set("events", "noted");
        more.forEach(config::set);
        return config.build();
    }

    private static void note(String what, PluginContext context) {
        NOTES.add(what);
        context.onClose(() -> NOTES.add(what + " closed"));
    }

    /** Projections in memory. */
    public static final class NotedProjections implements ProjectionStoreProvider {
        @Override
        public String name() {
            return "noted";
        }

        @Override
        public ProjectionStore<?> create(PluginConfig config, PluginContext context) {
            note("store", context);
            return memory.store();
        }

        @Override
        public ProjectionOperations operations(PluginConfig config, PluginContext context) {
            note("operations", context);
            return memory.operations();
        }
    }

    /** Events in memory. */
    public static final class NotedEvents implements EventStoreProvider {
        @Override
        public String name() {
            return "noted";
        }

        @Override
        public EventStore create(PluginConfig config, PluginContext context) {
            note("events", context);
            return new InMemoryEventStore();
        }
    }

    /** A source of no events. */
    public static final class NotedSource implements EventSourceProvider {
        private static final ConfigKey<String> TOKEN =
                ConfigKey.of("token", ConfigType.text(), "Who reads.").secret();

        @Override
        public String name() {
            return "noted";
        }

        @Override
        public List<ConfigKey<?>> keys() {
            return List.of(TOKEN);
        }

        @Override
        public EventSource create(PluginConfig config, PluginContext context) {
            note("source", context);
            return new InMemoryEventStore().source();
        }
    }
}
