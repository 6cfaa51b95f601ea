package dev.spream.api.plugin;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginProvider;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Asks a provider what it is called and configured by, and does not believe everything. */
final class ProviderReading {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");

    private final PluginKind kind;
    private final String origin;
    private final CallScope scope;
    private final Blame blame;

    ProviderReading(PluginKind kind, String origin, CallScope scope) {
        this.kind = kind;
        this.origin = origin;
        this.scope = scope;
        this.blame = new Blame(origin, scope.changesLoader());
    }

    <T> Plugin<T> plugin(PluginProvider<T> provider) throws UnusableProvider {
        return new Plugin<>(kind, name(provider), origin, keys(provider), provider, scope);
    }

    private String name(PluginProvider<?> provider) throws UnusableProvider {
        String name;
        try {
            name = provider.name();
        } catch (Throwable t) {
            throw new UnusableProvider("fails when asked for its name: " + blame.sentence(t));
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
            throw new UnusableProvider("fails when asked for its keys: " + blame.sentence(t));
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

    /** Why a provider was found, and cannot be used: the end of a sentence that begins with its class. */
    static final class UnusableProvider extends Exception {
        private static final long serialVersionUID = 1L;

        private final String flaw;

        UnusableProvider(String flaw) {
            super(flaw);
            this.flaw = flaw;
        }

        String flaw() {
            return flaw;
        }
    }
}
