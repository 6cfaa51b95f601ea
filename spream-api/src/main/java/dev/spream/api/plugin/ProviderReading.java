package dev.spream.api.plugin;

import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Port;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Asks a provider what it is called and configured by, and does not believe everything. */
final class ProviderReading {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

    private ProviderReading() {}

    /** @throws UnusableProvider if it cannot be used; the message is the end of a sentence that begins with its class */
    static <T> Plugin<T> plugin(
            Port<T> port, PluginProvider<T> provider, ThreadContextClassLoader scope, PluginErrors errors)
            throws UnusableProvider {
        Optional<String> name = asked("name", () -> Optional.ofNullable(provider.name()), errors);
        if (!name.map(given -> NAME.matcher(given).matches()).orElse(false)) {
            throw new UnusableProvider(name.map("calls itself '%s'"::formatted).orElse("has no name")
                    + "; a name is lower-case letters, digits and hyphens, a letter first");
        }
        List<ConfigKey<?>> keys = asked(
                        "keys", () -> Optional.ofNullable(provider.keys()).map(ArrayList::new), errors)
                .orElseThrow(() ->
                        new UnusableProvider("returns null for its keys; return an empty list if there are none"));
        Set<String> names = new HashSet<>();
        for (ConfigKey<?> key : keys) {
            if (key == null) {
                throw new UnusableProvider("has a null among its keys; list each key");
            }
            if (!names.add(key.name())) {
                throw new UnusableProvider("has the key '%s' twice; name one of them otherwise".formatted(key));
            }
        }
        return new Plugin<>(port, name.orElseThrow(), keys, provider, scope, errors);
    }

    private static <R> Optional<R> asked(String what, Supplier<Optional<R>> question, PluginErrors errors)
            throws UnusableProvider {
        try {
            return question.get();
        } catch (Throwable t) {
            throw new UnusableProvider("fails when asked for its %s: %s".formatted(what, errors.sentence(t)));
        }
    }

    static final class UnusableProvider extends Exception {
        private static final long serialVersionUID = 1L;

        UnusableProvider(String flaw) {
            super(flaw);
        }
    }
}
