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

/** Reads the name and the keys of a provider, and validates them. */
final class ProviderReading {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

    private ProviderReading() {}

    /**
     * @throws UnusableProvider if the provider is invalid; the message is the rest of a sentence that begins with its
     *     class
     */
    static <T> Plugin<T> plugin(
            Port<T> port, PluginProvider<T> provider, ThreadContextClassLoader scope, PluginErrors errors)
            throws UnusableProvider {
        Optional<String> name = asked("name", () -> Optional.ofNullable(provider.name()), errors);
        if (!name.map(given -> NAME.matcher(given).matches()).orElse(false)) {
            throw new UnusableProvider(
                    name.map("has the invalid name '%s'"::formatted).orElse("has no name")
                            + "; a name consists of lower-case letters, digits and hyphens, and begins with a letter");
        }
        List<ConfigKey<?>> keys = asked(
                        "keys", () -> Optional.ofNullable(provider.keys()).map(ArrayList::new), errors)
                .orElseThrow(() ->
                        new UnusableProvider("returns null for its keys; return an empty list if there are none"));
        Set<String> names = new HashSet<>();
        for (ConfigKey<?> key : keys) {
            if (key == null) {
                throw new UnusableProvider("has a null among its keys; remove it");
            }
            if (!names.add(key.name())) {
                throw new UnusableProvider("has the key '%s' twice; rename one of them".formatted(key));
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
