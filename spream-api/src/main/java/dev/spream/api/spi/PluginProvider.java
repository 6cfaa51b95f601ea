package dev.spream.api.spi;

import java.util.List;

/**
 * Creates one implementation of a port, which is selected by name in the configuration. Each {@link Port} has an
 * interface of its own that extends this one. A plug-in implements it in a public class with a public constructor
 * without parameters that does nothing, and registers it in {@code META-INF/services} for {@link
 * java.util.ServiceLoader}.
 *
 * <p>A provider from the plug-in folder, and the objects that it creates, are called with its class loader as the
 * thread's context class loader.
 *
 * @param <T> the port
 */
public interface PluginProvider<T> {

    /**
     * Returns its name in the configuration, as in {@code storage=jdbc}: lower-case letters, digits and hyphens, a
     * letter first.
     */
    String name();

    /**
     * Returns the keys of its configuration; none by default. A key {@code url} of a storage {@code jdbc} is
     * {@code storage.jdbc.url} in the configuration. Undeclared keys are configuration errors.
     */
    default List<ConfigKey<?>> keys() {
        return List.of();
    }

    /**
     * Returns the problems of a configuration whose values each passed the validation of their key, such as
     * contradicting values or a file that cannot be written. Called before anything is opened, also by
     * {@code spream config}; must not open anything. None by default.
     *
     * @return sentences for users, each preceded by its key; none shows a secret
     */
    default List<String> problems(PluginConfig config) {
        return List.of();
    }

    /**
     * Creates the implementation, connected and ready. Called once for each run. The caller closes it after the run, if
     * it is closeable; resources that it does not close itself are registered with {@link PluginContext#onClose}.
     *
     * @param config the configuration; every value has passed its key's checks
     * @throws IllegalArgumentException if the configuration is invalid; the message is shown to the user
     * @throws Exception any failure; nothing is started then, and resources registered with {@code onClose} are closed
     */
    T create(PluginConfig config, PluginContext context) throws Exception;
}
