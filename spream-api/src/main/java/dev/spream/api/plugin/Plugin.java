package dev.spream.api.plugin;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginProvider;
import java.time.InstantSource;
import java.util.List;

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
        OpeningContext context = new OpeningContext(clock, subscription);
        try {
            T product = scope.call(() -> provider.create(config, context));
            if (product == null) {
                throw new IllegalStateException("its create returned null, which is for its author to correct");
            }
            return new OpenPlugin<>(this, scope, product, context.take());
        } catch (Throwable t) {
            RuntimeException failure = blame.openingFailed(this, t);
            Closing.all(scope, context.take()).ifPresent(failure::addSuppressed);
            throw failure;
        }
    }

    @Override
    public String toString() {
        return "%s %s (%s)".formatted(kind.key(), name, origin);
    }
}
