package dev.spream.api.spi;

import java.util.List;

/**
 * Makes one implementation of a port, which configuration chooses by name. Each {@link Port} has an interface of its own
 * that extends this one; a plug-in implements that, in a public class with a public constructor without parameters that
 * does nothing, named in {@code META-INF/services} as {@link java.util.ServiceLoader} wants it.
 *
 * <p>A provider from the plug-in folder is called with its own class loader as the thread's context class loader, and so is
 * what it made.
 *
 * @param <T> the port
 */
public interface PluginProvider<T> {

    /**
     * Returns its name in the configuration, as in {@code storage=jdbc}: lower-case letters, digits and hyphens, a letter
     * first.
     */
    String name();

    /**
     * The keys it can be configured by; none by default. A key {@code url} of a storage {@code jdbc} is {@code
     * storage.jdbc.url} in the configuration. What is not among them is refused there.
     */
    default List<ConfigKey<?>> keys() {
        return List.of();
    }

    /**
     * Returns the problems of a configuration whose values each passed the checks of their key: values that do not go
     * together, a file that cannot be written. Asked before anything is opened, and by {@code spream config}, which opens
     * nothing: neither does this. None by default.
     *
     * @return sentences for people, each after the key that it is about; none shows a secret
     */
    default List<String> problems(PluginConfig config) {
        return List.of();
    }

    /**
     * Creates the implementation, connected and ready. Called once for each run. The caller closes it after the run, if it is
     * closeable; resources that it does not close itself are registered with {@link PluginContext#onClose}.
     *
     * @param config the configuration; every value has passed its key's checks
     * @throws IllegalArgumentException if the configuration is invalid; the message is shown to the user
     * @throws Exception anything; nothing starts then, and what was given to {@code onClose} is closed
     */
    T create(PluginConfig config, PluginContext context) throws Exception;
}
