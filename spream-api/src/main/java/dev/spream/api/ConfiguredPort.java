package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.ConfigException;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Port;
import dev.spream.core.SpreamException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** The configured plug-in of one port, with the components it creates on first use. Confined to one thread. */
abstract class ConfiguredPort<T> implements AutoCloseable {
    static final String NAME = "spream";

    final ConfiguredPlugins plugins;
    final ConfigValidation validation;
    private final Plugin<T> plugin;
    private final Map<Class<?>, Object> made = new HashMap<>(); // by type

    ConfiguredPort(ConfiguredPlugins plugins, Port<T> port) {
        this.plugins = plugins;
        this.validation = plugins.validate(Set.of(port));
        this.plugin = validation.usable(port);
    }

    /** Returns the component of the type, created on the first call; after a failure the next call tries again. */
    @SuppressWarnings("unchecked") // keyed by its type
    final <R> R once(Class<? super R> type, Supplier<? extends R> making) {
        R known = (R) made.get(type);
        if (known == null) {
            known = requireNonNull(making.get(), "what was made");
            made.put(type, known);
        }
        return known;
    }

    final T open() {
        return open(NAME);
    }

    final T open(String subscription) {
        return plugins.open(validation, plugin, subscription);
    }

    final <R> R open(ConfigValidation whole, Plugin<R> chosen) {
        return plugins.open(whole, chosen, NAME);
    }

    final <P extends PluginProvider<T>, R> R besideOnce(Class<P> type, Beside<P, R> making, Class<? super R> what) {
        return besideOnce(
                type,
                (provider, config, context) -> Optional.ofNullable(making.make(provider, config, context)),
                what,
                "returned null, which is a defect of the plug-in");
    }

    /** @param otherwise the rest of the message that begins with the plug-in, if it creates nothing */
    final <P extends PluginProvider<T>, R> R besideOnce(
            Class<P> type, Plugin.Making<P, R> making, Class<? super R> what, String otherwise) {
        return once(
                what,
                () -> beside(type, making, what, NAME)
                        .orElseThrow(() -> new SpreamException("%s %s".formatted(plugin, otherwise), null)));
    }

    /** Opens a further component of the plug-in; empty if it creates none. */
    final <P extends PluginProvider<T>, R> Optional<R> beside(
            Class<P> type, Plugin.Making<P, R> making, Class<? super R> what, String subscription) {
        return plugin.openBeside(type, making, what, validation.of(plugin), subscription)
                .map(plugins::opened);
    }

    @FunctionalInterface
    interface Beside<P, R> {
        R make(P provider, PluginConfig config, PluginContext context) throws Exception;
    }

    final void requireTransactions(String verb, Class<?> actual, Class<?> asked) {
        if (actual != asked) {
            throw new IllegalArgumentException("%s %s %s in transactions of type %s, not %s"
                    .formatted(plugin.port(), plugin.name(), verb, actual.getName(), asked.getName()));
        }
    }

    /** Creates an object with the worker name of this process; a name that it rejects is a configuration problem. */
    final <R> R asWorker(Function<String, R> making) {
        try {
            return making.apply(validation.workerName());
        } catch (IllegalArgumentException e) {
            ConfigException refusal = new ConfigException(List.of("worker: " + e.getMessage()));
            refusal.initCause(e);
            throw refusal;
        }
    }

    /**
     * Closes everything that was opened. Idempotent.
     *
     * @throws SpreamException if a part could not be closed; the others are
     */
    @Override
    public void close() {
        plugins.close();
    }
}
