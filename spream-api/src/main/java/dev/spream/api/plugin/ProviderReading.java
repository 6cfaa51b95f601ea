package dev.spream.api.plugin;

import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Port;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Asks a provider what it is called and configured by, and does not believe everything. */
final class ProviderReading {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

    private final PluginErrors errors;

    private ProviderReading(PluginErrors errors) {
        this.errors = errors;
    }

    /** @throws UnusableProvider if it cannot be used; the message is the end of a sentence that begins with its class */
    static <T> Plugin<T> plugin(
            Port<T> port, PluginProvider<T> provider, ThreadContextClassLoader scope, PluginErrors errors)
            throws UnusableProvider {
        ProviderReading reading = new ProviderReading(errors);
        return new Plugin<>(port, reading.name(provider), reading.keys(provider), provider, scope, errors);
    }

    private String name(PluginProvider<?> provider) throws UnusableProvider {
        String name;
        try {
            name = provider.name();
        } catch (Throwable t) {
            throw new UnusableProvider("fails when asked for its name: " + errors.sentence(t));
        }
        if (name == null || !NAME.matcher(name).matches()) {
            throw new UnusableProvider((name == null ? "has no name" : "calls itself '%s'".formatted(name))
                    + "; a name is lower-case letters, digits and hyphens, a letter first");
        }
        return name;
    }

    private List<ConfigKey<?>> keys(PluginProvider<?> provider) throws UnusableProvider {
        List<ConfigKey<?>> keys;
        try {
            List<ConfigKey<?>> given = provider.keys();
            keys = given == null ? null : new ArrayList<>(given);
        } catch (Throwable t) {
            throw new UnusableProvider("fails when asked for its keys: " + errors.sentence(t));
        }
        if (keys == null) {
            throw new UnusableProvider("returns null for its keys; return an empty list if there are none");
        }
        Set<String> names = new HashSet<>();
        for (ConfigKey<?> key : keys) {
            if (key == null) {
                throw new UnusableProvider("has a null among its keys; list each key");
            }
            if (!names.add(key.name())) {
                throw new UnusableProvider("has the key '%s' twice; name one of them otherwise".formatted(key));
            }
        }
        return keys;
    }

    /** A provider was found, and cannot be used. */
    static final class UnusableProvider extends Exception {
        private static final long serialVersionUID = 1L;

        UnusableProvider(String flaw) {
            super(flaw);
        }
    }
}
