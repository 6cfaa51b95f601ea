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
 * An implementation created by a plug-in, with its resources. Safe for use by many threads. Its opener closes it, after
 * the run and before the {@link PluginRegistry}.
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

    /** @param type the interface by which the implementation is called */
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

    @SuppressWarnings("ReferenceEquality") // by identity: two equal pools are both closed
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
     * Returns the implementation of the port. One from the plug-in folder is called with the plug-in's class loader as
     * the thread's context class loader.
     */
    public T product() {
        return product;
    }

    /** Returns the implementation, whose {@code close} closes this object. */
    public T closingProduct() {
        return ClassLoaderSafe.closing(type, product, this::close);
    }

    /**
     * Closes the implementation, if it is closeable, and then its resources in reverse order. Idempotent.
     *
     * @throws SpreamException if a resource could not be closed; the others are
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        closeAll(scope, closeables).ifPresent(failure -> {
            throw new SpreamException(
                    "%s could not be closed (%s); its other resources are closed".formatted(plugin, failure), failure);
        });
    }

    /** Closes the resources in the given order; further failures are suppressed by the first. */
    @SuppressWarnings("ReferenceEquality") // an exception cannot suppress itself
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
