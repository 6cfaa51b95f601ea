package dev.spream.api.plugin;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.LentChangeStream;
import dev.spream.api.spi.LockStoreProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.lock.BucketProvisioning;
import dev.spream.lock.LockObserver;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.projection.ProjectionOperations;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * One plug-in: what it is called and configured by, and where it is from. Immutable and safe for use by many threads, until
 * the {@link PluginRegistry} that found it is closed.
 *
 * @param <T> the port that it fills
 */
public final class Plugin<T> {
    private final PluginKind kind;
    private final String name;
    private final String origin;
    private final List<ConfigKey<?>> keys;
    private final PluginProvider<T> provider;
    private final CallScope scope;
    private final Blame blame;

    Plugin(
            PluginKind kind,
            String name,
            String origin,
            List<ConfigKey<?>> keys,
            PluginProvider<T> provider,
            CallScope scope) {
        this.kind = kind;
        this.name = name;
        this.origin = origin;
        this.keys = List.copyOf(keys);
        this.provider = provider;
        this.scope = scope;
        this.blame = new Blame(origin, scope.changesLoader());
    }

    public PluginKind kind() {
        return kind;
    }

    /** What configuration calls it; unique among those of its kind. */
    public String name() {
        return name;
    }

    /** The jar or folder that it is from, for people. */
    public String origin() {
        return origin;
    }

    /** The keys that it can be configured by. */
    public List<ConfigKey<?>> keys() {
        return keys;
    }

    /** What the plug-in says is wrong with what was configured for it, see {@link PluginProvider#problems}. */
    public List<String> problems(PluginConfig config) {
        return scope.call(() -> List.copyOf(provider.problems(config)));
    }

    /**
     * Makes an implementation of the port, connected and ready.
     *
     * @param config what was configured for this plug-in
     * @param clock the clock of this process
     * @param subscription see {@link dev.spream.api.spi.PluginContext#subscription}
     * @return the implementation and what it stands on; the caller closes it
     * @throws dev.spream.api.config.ConfigException if the plug-in refuses what was configured
     * @throws dev.spream.core.SpreamException if it fails in another way; both name the plug-in and its origin, and what it
     *     had opened is closed
     */
    public OpenPlugin<T> open(PluginConfig config, InstantSource clock, String subscription) {
        return make(config, new OpeningContext(clock, subscription));
    }

    /** Makes an event source of a change stream; otherwise like {@link #open(PluginConfig, InstantSource, String)}. */
    public OpenPlugin<T> open(
            PluginConfig config, InstantSource clock, String subscription, LentChangeStream changeStream) {
        return make(config, new OpeningContext(clock, subscription, Optional.of(changeStream)));
    }

    /** Whether this makes an event source that reads a change stream, which has to be lent to it. */
    public boolean readsChangeStream() {
        return provider instanceof EventSourceProvider sources && scope.call(sources::readsChangeStream);
    }

    /**
     * Makes a storage of partitions that closes what it stands on when it is closed itself.
     *
     * @throws IllegalStateException if this makes no storage
     */
    public PartitionStorage openStorage(PluginConfig config, InstantSource clock, String subscription) {
        provider(PartitionStorageProvider.class);
        OpenPlugin<T> open = open(config, clock, subscription);
        return new ScopedStorage((PartitionStorage) open.product(), CallScope.unchanged(), open::close);
    }

    private OpenPlugin<T> make(PluginConfig config, OpeningContext opening) {
        return open(opening, context -> {
            T made = provider.create(config, context);
            if (made == null) {
                throw new IllegalStateException("its create returned null, which is for its author to correct");
            }
            return new OpenPlugin<>(this, scope, made, Scoped.product(kind, made, scope), context.take());
        });
    }

    /**
     * Makes what provisions the places that a store of locks locks by, as {@link #open} makes the store.
     *
     * @return empty if this makes no store of locks, or there is nothing to provision
     */
    public Optional<OpenPlugin<BucketProvisioning>> openProvisioning(
            PluginConfig config, InstantSource clock, String subscription) {
        return provider instanceof LockStoreProvider locks
                ? open(new OpeningContext(clock, subscription), context -> provisioning(locks, config, context))
                : Optional.empty();
    }

    /**
     * Makes what looks at the locks of a store, as {@link #open} makes the store.
     *
     * @return empty if this makes no store of locks, or nothing can be seen of them
     */
    public Optional<OpenPlugin<LockObserver>> openObserver(
            PluginConfig config, InstantSource clock, String subscription) {
        return provider instanceof LockStoreProvider locks
                ? open(
                        new OpeningContext(clock, subscription),
                        context -> locks.observer(config, context)
                                .map(made -> new OpenPlugin<>(
                                        this, scope, made, Scoped.observer(made, scope), context.take())))
                : Optional.empty();
    }

    /**
     * Makes what a program enqueues with, as {@link #open} makes the store of the outbox.
     *
     * @throws IllegalStateException if this makes no store of an outbox
     */
    public OpenPlugin<Outbox<?>> openOutbox(PluginConfig config, InstantSource clock, String subscription) {
        return openBeside(
                clock,
                subscription,
                context -> provider(OutboxStoreProvider.class).outbox(config, context),
                Scoped::outbox);
    }

    /** Makes the ledger of an outbox; otherwise like {@link #openOutbox}. */
    public OpenPlugin<IdempotencyLedger<?>> openLedger(PluginConfig config, InstantSource clock, String subscription) {
        return openBeside(
                clock,
                subscription,
                context -> provider(OutboxStoreProvider.class).ledger(config, context),
                Scoped::ledger);
    }

    /** Makes what operates an outbox; otherwise like {@link #openOutbox}. */
    public OpenPlugin<OutboxOperations> openOperations(PluginConfig config, InstantSource clock, String subscription) {
        return openBeside(
                clock,
                subscription,
                context -> provider(OutboxStoreProvider.class).operations(config, context),
                Scoped::operations);
    }

    /**
     * Makes what operates projections, as {@link #open} makes their store.
     *
     * @throws IllegalStateException if this makes no store of projections
     */
    public OpenPlugin<ProjectionOperations> openProjectionOperations(
            PluginConfig config, InstantSource clock, String subscription) {
        return openBeside(
                clock,
                subscription,
                context -> provider(ProjectionStoreProvider.class).operations(config, context),
                Scoped::operations);
    }

    private <P extends PluginProvider<?>> P provider(Class<P> type) {
        if (type.isInstance(provider)) {
            return type.cast(provider);
        }
        throw new IllegalStateException("%s is no %s".formatted(this, type.getSimpleName()));
    }

    private <R> OpenPlugin<R> openBeside(
            InstantSource clock, String subscription, Opening<R> opening, BiFunction<R, CallScope, R> scoped) {
        return open(new OpeningContext(clock, subscription), context -> {
            R made = opening.open(context);
            if (made == null) {
                throw new IllegalStateException("it made null, which is for its author to correct");
            }
            return new OpenPlugin<>(this, scope, made, scoped.apply(made, scope), context.take());
        });
    }

    private <R> R open(OpeningContext context, Opening<R> opening) {
        try {
            return scope.call(() -> opening.open(context));
        } catch (Throwable t) {
            RuntimeException failure = blame.openingFailed(this, t);
            Closing.all(scope, context.take()).ifPresent(failure::addSuppressed);
            throw failure;
        }
    }

    private Optional<OpenPlugin<BucketProvisioning>> provisioning(
            LockStoreProvider locks, PluginConfig config, OpeningContext context) throws Exception {
        Optional<BucketProvisioning> made = locks.provisioning(config, context);
        if (made.isEmpty()) {
            Closing.all(scope, context.take());
            return Optional.empty();
        }
        BucketProvisioning scoped = Scoped.provisioning(made.get(), scope);
        return Optional.of(new OpenPlugin<>(this, scope, made.get(), scoped, context.take()));
    }

    /** Makes something, which stands on what it leaves in the context. */
    private interface Opening<R> {
        R open(OpeningContext context) throws Exception;
    }

    @Override
    public String toString() {
        return "%s %s (%s)".formatted(kind.key(), name, origin);
    }
}
