package dev.spream.api.plugin;

import dev.spream.api.plugin.classloader.ClassLoaderSafe;
import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import dev.spream.core.SpreamException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An implementation that a plug-in made, and what it stands on. Safe for use by many threads; closed once, by its opener, when the
 * run has ended and before the {@link PluginRegistry} is closed.
 *
 * @param <T> the port that it fills
 */
public final class OpenPlugin<T> implements AutoCloseable {
    private final Plugin<?> plugin;
    private final ThreadContextClassLoader scope;
    private final Class<? super T> type;
    private final T product;
    private final List<AutoCloseable> closeables;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param type the interface that what it made is called by */
    OpenPlugin(
            Plugin<?> plugin,
            ThreadContextClassLoader scope,
            Class<? super T> type,
            T made,
            List<AutoCloseable> resources) {
        this.plugin = plugin;
        this.scope = scope;
        this.type = type;
        this.product = ClassLoaderSafe.of(type, made, scope);
        this.closeables = inClosingOrder(made, resources);
    }

    @SuppressWarnings("ReferenceEquality") // two equal pools are still two to close
    private static List<AutoCloseable> inClosingOrder(Object made, List<AutoCloseable> resources) {
        List<AutoCloseable> order = new ArrayList<>();
        if (made instanceof AutoCloseable closeable) {
            order.add(closeable);
        }
        resources.stream().filter(resource -> resource != made).forEach(order::add);
        return order;
    }

    /** Returns the plug-in that created it. */
    public Plugin<?> plugin() {
        return plugin;
    }

    /**
     * The implementation of the port. That of a plug-in from the folder is called with the plug-in's class loader as the
     * thread's context class loader.
     */
    public T product() {
        return product;
    }

    /** The same, but that closing it closes all of this. */
    public T closingProduct() {
        return ClassLoaderSafe.closing(type, product, this::close);
    }

    /**
     * Closes the implementation, if it can be closed, and then what it stands on, what was opened last first. Closing again
     * is harmless.
     *
     * @throws SpreamException if some of it could not be closed; the rest is closed
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        closeAll(scope, closeables).ifPresent(failure -> {
            throw new SpreamException(
                    "%s could not be closed (%s); what else it had opened is closed".formatted(plugin, failure),
                    failure);
        });
    }

    /** Closes them in that order; the first failure carries the others. */
    @SuppressWarnings("ReferenceEquality") // nothing can be suppressed by itself
    static Optional<Throwable> closeAll(ThreadContextClassLoader scope, List<AutoCloseable> resources) {
        @Nullable Throwable first = null;
        for (AutoCloseable resource : resources) {
            try {
                scope.run(resource::close);
            } catch (Throwable t) {
                PluginErrors.keepInterrupt(t);
                if (first == null) {
                    first = t;
                } else if (first != t) {
                    first.addSuppressed(t);
                }
            }
        }
        return Optional.ofNullable(first);
    }

    @Override
    public String toString() {
        return plugin.toString();
    }
}
