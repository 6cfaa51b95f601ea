package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.EventStoreProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.api.spi.SearchEngineProvider;
import dev.spream.api.spi.SharedChangeStream;
import dev.spream.core.SpreamException;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.search.SearchEngine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The projections named by the configuration key {@code projections}, for a program that runs or operates them, with
 * the events named by {@code events} and {@code event-source}, and the search engine named by {@code search}. No
 * subscription has to be configured.
 *
 * <pre>{@code
 * try (ConfiguredProjections configured = ConfiguredProjections.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     ProjectionStore<Connection> store = configured.store(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Connections are opened on first use, and the configuration of events is validated on first use: a program that only
 * operates projections does not need its secrets. Confined to one thread, which closes it; the returned objects are safe
 * for use by many threads.
 */
public final class ConfiguredProjections extends ConfiguredPort<ProjectionStore<?>> {
    private ConfiguredProjections(ConfiguredPlugins plugins) {
        super(plugins, ProjectionStoreProvider.PORT);
    }

    /**
     * Validates the configuration of the projections.
     *
     * @throws ConfigException if it is invalid, or {@code projections} is not configured
     */
    public static ConfiguredProjections open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredProjections::new);
    }

    /** Opens the projections with the given plug-ins. The caller closes the registry, after this object. */
    public static ConfiguredProjections open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredProjections::new);
    }

    /**
     * Returns the projection store, opened on the first call.
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if it could not be opened
     */
    @SuppressWarnings("unchecked") // checked by requireTransactions
    public <T> ProjectionStore<T> store(Class<T> transactionType) {
        ProjectionStore<?> open = once(ProjectionStore.class, this::open);
        requireTransactions("work", open.transactionType(), transactionType);
        return (ProjectionStore<T>) open;
    }

    /**
     * Returns the operations on projections, opened on the first call.
     *
     * @throws SpreamException if it could not be opened
     */
    public ProjectionOperations operations() {
        return besideOnce(
                ProjectionStoreProvider.class, ProjectionStoreProvider::operations, ProjectionOperations.class);
    }

    /**
     * Returns the event store that {@code events} names, opened on the first call.
     *
     * @throws ConfigException if it cannot be used, or none is named
     * @throws SpreamException if it could not be opened
     */
    public EventStore events() {
        return once(EventStore.class, () -> open(EventStoreProvider.PORT));
    }

    /**
     * Returns the event source, opened on the first call: the one that {@code event-source} names, or else the store
     * that {@code events} names.
     *
     * @throws ConfigException if it cannot be used, or neither is named
     * @throws SpreamException if it could not be opened
     */
    public EventSource source() {
        return once(EventSource.class, this::openSource);
    }

    /**
     * Returns the search engine that {@code search} names, opened on the first call.
     *
     * @throws ConfigException if it cannot be used, or none is named
     * @throws SpreamException if it could not be opened
     */
    public SearchEngine search() {
        return once(SearchEngine.class, () -> open(SearchEngineProvider.PORT));
    }

    private EventSource openSource() {
        SpreamConfig config = plugins.config();
        boolean named = config.mayConfigure(EventSourceProvider.PORT.key());
        return named || !config.mayConfigure(EventStoreProvider.PORT.key())
                ? openNamedSource()
                : plugins.closing(events().source());
    }

    private EventSource openNamedSource() {
        Plugin<EventSource> chosen = validate(EventSourceProvider.PORT).usable(EventSourceProvider.PORT);
        if (!chosen.ask(EventSourceProvider.class, EventSourceProvider::readsChangeStream)) {
            return open(EventSourceProvider.PORT);
        }
        ConfigValidation whole =
                validate(EventSourceProvider.PORT, ChangeStreamSourceProvider.PORT, PartitionStorageProvider.PORT);
        SharedChangeStream lent = EventSubscriptions.open(whole, plugins);
        return plugins.opened(chosen.open(whole.of(chosen), InstantSource.system(), NAME, lent));
    }

    private ConfigValidation validate(Port<?>... needed) {
        Set<Port<?>> all = new HashSet<>(List.of(needed));
        all.add(ProjectionStoreProvider.PORT);
        return plugins.validate(all);
    }

    private <R> R open(Port<R> port) {
        ConfigValidation whole = validate(port);
        return open(whole, whole.usable(port));
    }

    /** Returns the configured options of projections. */
    public ProjectionOptions options() {
        return validation.projections();
    }

    /**
     * Returns a builder of a projection manager over this store, with the configured options and the worker name of
     * this process. The caller adds projections, and closes the manager before this object.
     *
     * <pre>{@code
     * try (ProjectionManager<Connection> manager =
     *         configured.manager(Connection.class).add(new Entries(), configured.source()).build()) {
     *     manager.run();
     * }
     * }</pre>
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws ConfigException if {@code worker} is not a valid owner name
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if the store could not be opened
     */
    public <T> ProjectionManager.Builder<T> manager(Class<T> transactionType) {
        ProjectionManager.Builder<T> manager =
                ProjectionManager.builder(store(transactionType)).options(options());
        return asWorker(manager::owner);
    }

    /** Returns the time within which the manager ends at shutdown, key {@code shutdown-timeout}. */
    public Duration shutdownTimeout() {
        return validation.own().get(SubscriptionKeys.SHUTDOWN_TIMEOUT);
    }
}
