package dev.spream.api.plugin;

import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.SharedChangeStream;
import dev.spream.api.spi.StoredSubscription;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * One plug-in: its name, its configuration keys and its origin. Immutable and safe for use by many threads, until its
 * {@link PluginRegistry} is closed.
 *
 * @param <T> the port that it fills
 */
public final class Plugin<T> {
    private final Port<T> port;
    private final String name;
    private final List<ConfigKey<?>> keys;
    private final PluginProvider<T> provider;
    private final ThreadContextClassLoader scope;
    private final PluginErrors errors;

    Plugin(
            Port<T> port,
            String name,
            List<ConfigKey<?>> keys,
            PluginProvider<T> provider,
            ThreadContextClassLoader scope,
            PluginErrors errors) {
        this.port = port;
        this.name = name;
        this.keys = List.copyOf(keys);
        this.provider = provider;
        this.scope = scope;
        this.errors = errors;
    }

    /** Returns the port that it fills. */
    public Port<T> port() {
        return port;
    }

    /** Returns its name in the configuration; unique within its port. */
    public String name() {
        return name;
    }

    /** Returns its jar or folder, for display. */
    public String origin() {
        return errors.origin();
    }

    /** Returns the prefix of its keys in the configuration, without the dot after it, such as {@code storage.jdbc}. */
    public String section() {
        return port.key() + "." + name;
    }

    /** Returns the keys of its configuration. */
    public List<ConfigKey<?>> keys() {
        return keys;
    }

    /** Returns the problems that the plug-in reports for its configuration, see {@link PluginProvider#problems}. */
    public List<String> problems(PluginConfig config) {
        return scope.call(() -> List.copyOf(provider.problems(config)));
    }

    /**
     * Calls the plug-in's provider.
     *
     * @param type that of the provider
     */
    public <P extends PluginProvider<T>, R> R ask(Class<P> type, Function<P, R> question) {
        return scope.call(() -> question.apply(type.cast(provider)));
    }

    /**
     * Creates an implementation of the port, connected and ready.
     *
     * @param config the configuration of this plug-in
     * @param clock the clock of this process
     * @param subscription see {@link PluginContext#subscription}
     * @return the implementation with its resources; the caller closes it
     * @throws dev.spream.api.config.ConfigException if the plug-in rejects its configuration
     * @throws dev.spream.core.SpreamException if it fails otherwise. Both messages name the plug-in and its origin;
     *     resources that it had opened are closed
     */
    public OpenPlugin<T> open(PluginConfig config, InstantSource clock, String subscription) {
        return open(config, clock, subscription, Optional.empty(), Optional.empty());
    }

    /**
     * Creates a sink; otherwise like {@link #open(PluginConfig, InstantSource, String)}.
     *
     * @param format the format that the sink's configuration names, if it is a plug-in's
     * @param stored the subscription in its storage; empty for a sink that gets dead letters alone
     */
    public OpenPlugin<T> open(
            PluginConfig config,
            InstantSource clock,
            String subscription,
            Optional<Format> format,
            Optional<StoredSubscription> stored) {
        return open(config, new OpeningContext(clock, subscription, Optional.empty(), stored, format));
    }

    /**
     * Creates an event source of a change stream; otherwise like {@link #open(PluginConfig, InstantSource, String)}.
     */
    public OpenPlugin<T> open(
            PluginConfig config, InstantSource clock, String subscription, SharedChangeStream changeStream) {
        return open(
                config,
                new OpeningContext(clock, subscription, Optional.of(changeStream), Optional.empty(), Optional.empty()));
    }

    private OpenPlugin<T> open(PluginConfig config, OpeningContext opening) {
        return opened(port.type(), opening, context -> {
                    T made = provider.create(config, context);
                    if (made == null) {
                        throw new IllegalStateException(
                                "its create method returned null, which is a defect of the plug-in");
                    }
                    return Optional.of(made);
                })
                .orElseThrow();
    }

    /**
     * Creates a component other than the implementation of the port from the same configuration; otherwise like {@link
     * #open}.
     *
     * @param type that of the provider
     * @param making such as {@code LockStoreProvider::observer}
     * @param made the interface of the component
     * @return empty if the plug-in has no such component
     */
    public <P extends PluginProvider<T>, R> Optional<OpenPlugin<R>> openBeside(
            Class<P> type, Making<P, R> making, Class<? super R> made, PluginConfig config, String subscription) {
        return opened(
                made,
                new OpeningContext(
                        InstantSource.system(), subscription, Optional.empty(), Optional.empty(), Optional.empty()),
                context -> making.make(type.cast(provider), config, context));
    }

    private <R> Optional<OpenPlugin<R>> opened(Class<? super R> type, OpeningContext context, Opening<R> opening) {
        try {
            Optional<R> made = scope.call(() -> opening.open(context));
            if (made.isEmpty()) {
                OpenPlugin.closeAll(scope, context.take());
            }
            return made.map(product -> new OpenPlugin<>(this, scope, type, product, context.take()));
        } catch (Throwable t) {
            RuntimeException failure = errors.openingFailed(this, t);
            OpenPlugin.closeAll(scope, context.take()).ifPresent(failure::addSuppressed);
            throw failure;
        }
    }

    /** A method of a provider that creates a further component, or nothing. */
    @FunctionalInterface
    public interface Making<P, R> {
        Optional<R> make(P provider, PluginConfig config, PluginContext context) throws Exception;
    }

    private interface Opening<R> {
        Optional<R> open(OpeningContext context) throws Exception;
    }

    @Override
    public String toString() {
        return "%s %s (%s)".formatted(port.key(), name, errors.origin());
    }
}
