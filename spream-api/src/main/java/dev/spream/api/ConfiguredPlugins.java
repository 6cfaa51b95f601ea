package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.StoredSubscription;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.Consumer;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A configuration with the plug-ins found, and the components opened from them, which are closed in reverse order.
 * Confined to one thread.
 */
final class ConfiguredPlugins implements AutoCloseable {
    private final SpreamConfig config;
    private final PluginRegistry plugins;
    private final boolean discovered;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private ConfiguredPlugins(SpreamConfig config, PluginRegistry plugins, boolean discovered) {
        this.config = config;
        this.plugins = plugins;
        this.discovered = discovered;
    }

    /** Creates a component over the discovered plug-ins, which are closed again if that fails. */
    static <D> D discovering(SpreamConfig config, Function<ConfiguredPlugins, D> making) {
        PluginRegistry plugins = ConfigValidation.discover(requireNonNull(config, "config"));
        return made(new ConfiguredPlugins(config, plugins, true), making);
    }

    /** Creates a component over the given plug-ins. The caller closes the registry, after the component. */
    static <D> D of(SpreamConfig config, PluginRegistry plugins, Function<ConfiguredPlugins, D> making) {
        return made(
                new ConfiguredPlugins(requireNonNull(config, "config"), requireNonNull(plugins, "plugins"), false),
                making);
    }

    private static <D> D made(ConfiguredPlugins plugins, Function<ConfiguredPlugins, D> making) {
        try {
            return making.apply(plugins);
        } catch (Throwable t) {
            plugins.close((part, failure) -> t.addSuppressed(failure));
            throw t;
        }
    }

    SpreamConfig config() {
        return config;
    }

    ConfigValidation validate(Set<Port<?>> needed) {
        return validate(config, needed);
    }

    /** Validates another configuration with the same plug-ins. */
    ConfigValidation validate(SpreamConfig other, Set<Port<?>> needed) {
        return ConfigValidation.ofDesk(other, plugins, needed);
    }

    ConfigValidation validate(ProvidedComponents own) {
        return ConfigValidation.of(config, plugins, own);
    }

    <T> T open(ConfigValidation validation, Plugin<T> plugin, String subscription) {
        return open(validation, plugin, subscription, Optional.empty());
    }

    /** Opens the sink of the subscription that the storage has. */
    Consumer openSink(
            ConfigValidation validation, Plugin<Consumer> sink, String subscription, StoredSubscription stored) {
        return open(validation, sink, subscription, Optional.of(stored));
    }

    private <T> T open(
            ConfigValidation validation, Plugin<T> plugin, String subscription, Optional<StoredSubscription> stored) {
        Optional<Format> format = validation
                .formatOf(plugin)
                .map(other -> opened(other.open(validation.of(other), InstantSource.system(), subscription)));
        return opened(plugin.open(validation.of(plugin), InstantSource.system(), subscription, format, stored));
    }

    <R> R opened(OpenPlugin<R> made) {
        return closing(made).product();
    }

    /** Registers a part to be closed with this object, before the parts registered earlier. */
    <C extends AutoCloseable> C closing(C part) {
        opened.push(part);
        return part;
    }

    /**
     * Closes every part. Idempotent.
     *
     * @throws SpreamException if a part could not be closed; the others are
     */
    @Override
    public void close() {
        List<SpreamException> failures = new ArrayList<>();
        close((part, failure) -> failures.add(
                failure instanceof SpreamException known
                        ? known
                        : new SpreamException("%s could not be closed (%s)".formatted(part, failure), failure)));
        if (!failures.isEmpty()) {
            SpreamException first = failures.removeFirst();
            failures.forEach(first::addSuppressed);
            throw first;
        }
    }

    void close(BiConsumer<AutoCloseable, Throwable> onFailure) {
        while (!opened.isEmpty()) {
            AutoCloseable part = opened.pop();
            try {
                part.close();
            } catch (Exception | LinkageError e) {
                onFailure.accept(part, e);
            }
        }
        if (discovered) {
            plugins.close();
        }
    }
}
