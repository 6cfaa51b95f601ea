package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.LentChangeStream;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.SpreamException;
import dev.spream.projection.ProjectionManager;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.search.SearchEngine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The projections that a configuration names with {@code projections}, for a program that runs them and for whoever operates
 * them, the events that it names with {@code events} and {@code event-source}, and the search engine that it names with {@code
 * search}. A subscription need not be configured.
 *
 * <pre>{@code
 * try (ProjectionDesk desk = ProjectionDesk.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     ProjectionStore<Connection> store = desk.store(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Nothing is connected to before it is asked for, and the configuration of events is judged when they are: who only operates
 * projections need not have their secrets. Confined to one thread, which closes it; what it hands out may be used by many.
 */
public final class ProjectionDesk implements AutoCloseable {
    private static final String NAME = "spream";

    private final DeskParts parts;
    private final Judgement judgement;
    private final Plugin<?> plugin;
    private final Supplier<ProjectionStore<?>> store;
    private final Supplier<ProjectionOperations> operations;
    private final Supplier<EventStore> events;
    private final Supplier<EventSource> source;
    private final Supplier<SearchEngine> search;

    private ProjectionDesk(DeskParts parts) {
        this.parts = parts;
        this.judgement = parts.judge(Set.of(PluginKind.PROJECTIONS));
        this.plugin = judgement.usable(PluginKind.PROJECTIONS);
        PluginConfig config = judgement.of(plugin);
        this.store =
                Memo.of(() -> (ProjectionStore<?>) parts.opened(plugin.open(config, InstantSource.system(), NAME)));
        this.operations = parts.once(() -> plugin.openProjectionOperations(config, InstantSource.system(), NAME));
        this.events = Memo.of(() -> (EventStore) opened(PluginKind.EVENTS));
        this.source = Memo.of(this::openSource);
        this.search = Memo.of(() -> (SearchEngine) opened(PluginKind.SEARCH));
    }

    /**
     * Judges the configuration of the projections.
     *
     * @throws ConfigException if it cannot be used, or names no projections
     */
    public static ProjectionDesk open(SpreamConfig config) {
        return DeskParts.discovering(config, ProjectionDesk::new);
    }

    /** The same with these plug-ins to choose from; the caller closes them, after this. */
    public static ProjectionDesk open(SpreamConfig config, PluginRegistry plugins) {
        return new ProjectionDesk(DeskParts.of(config, plugins));
    }

    /**
     * What those need who run projections, opened when first asked for.
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if it could not be opened
     */
    @SuppressWarnings("unchecked") // the store says of which type its transactions are
    public <T> ProjectionStore<T> store(Class<T> transactionType) {
        ProjectionStore<?> open = store.get();
        if (open.transactionType() != transactionType) {
            throw new IllegalArgumentException("projections %s work in transactions of type %s, not %s"
                    .formatted(plugin.name(), open.transactionType().getName(), transactionType.getName()));
        }
        return (ProjectionStore<T>) open;
    }

    /**
     * What looks at projections and changes them by hand, opened when first asked for.
     *
     * @throws SpreamException if it could not be opened
     */
    public ProjectionOperations operations() {
        return operations.get();
    }

    /**
     * The store of events that {@code events} names, opened when first asked for.
     *
     * @throws ConfigException if it cannot be used, or none is named
     * @throws SpreamException if it could not be opened
     */
    public EventStore events() {
        return events.get();
    }

    /**
     * Where projections get their events from, opened when first asked for: what {@code event-source} names, or else the store
     * that {@code events} names.
     *
     * @throws ConfigException if it cannot be used, or neither is named
     * @throws SpreamException if it could not be opened
     */
    public EventSource source() {
        return source.get();
    }

    /**
     * The search engine that {@code search} names, opened when first asked for.
     *
     * @throws ConfigException if it cannot be used, or none is named
     * @throws SpreamException if it could not be opened
     */
    public SearchEngine search() {
        return search.get();
    }

    private EventSource openSource() {
        boolean named = parts.config().mayConfigure(PluginKind.EVENT_SOURCE.key());
        return named || !parts.config().mayConfigure(PluginKind.EVENTS.key())
                ? openNamedSource()
                : parts.closing(events().source());
    }

    private EventSource openNamedSource() {
        Plugin<?> chosen = judge(PluginKind.EVENT_SOURCE).usable(PluginKind.EVENT_SOURCE);
        if (!chosen.readsChangeStream()) {
            return (EventSource) opened(PluginKind.EVENT_SOURCE);
        }
        Judgement whole = judge(PluginKind.EVENT_SOURCE, PluginKind.SOURCE, PluginKind.STORAGE);
        LentChangeStream lent = EventSubscriptions.open(whole, parts.config(), parts);
        return (EventSource) parts.opened(chosen.open(whole.of(chosen), InstantSource.system(), NAME, lent));
    }

    private Judgement judge(PluginKind first, PluginKind... more) {
        Set<PluginKind> needed = EnumSet.of(first, more);
        needed.add(PluginKind.PROJECTIONS);
        return parts.judge(needed);
    }

    private Object opened(PluginKind kind) {
        Judgement whole = judge(kind);
        Plugin<?> chosen = whole.usable(kind);
        return parts.opened(chosen.open(whole.of(chosen), InstantSource.system(), NAME));
    }

    /** How projections are run, as configured. */
    public ProjectionOptions options() {
        return judgement.projections();
    }

    /**
     * Begins a manager of projections in this store, with the configured options and under the name of this process; what it
     * runs is for the caller to add, and the manager to close, before this.
     *
     * <pre>{@code
     * try (ProjectionManager<Connection> manager =
     *         desk.manager(Connection.class).add(new Entries(), desk.source()).build()) {
     *     manager.run();
     * }
     * }</pre>
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws ConfigException if {@code worker} is no name of an owner
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if the store could not be opened
     */
    public <T> ProjectionManager.Builder<T> manager(Class<T> transactionType) {
        ProjectionManager.Builder<T> manager =
                ProjectionManager.builder(store(transactionType)).options(options());
        try {
            return manager.owner(judgement.workerName());
        } catch (IllegalArgumentException e) {
            ConfigException refusal = new ConfigException(List.of("worker: " + e.getMessage()));
            refusal.initCause(e);
            throw refusal;
        }
    }

    /** How long what is being applied may take to finish when the process is told to stop, as {@code shutdown-timeout} says. */
    public Duration shutdownTimeout() {
        return judgement.own().get(SubscriptionKeys.SHUTDOWN_TIMEOUT);
    }

    /**
     * Closes what was opened. Closing again is harmless.
     *
     * @throws SpreamException if some of it could not be closed
     */
    @Override
    public void close() {
        parts.close();
    }
}
