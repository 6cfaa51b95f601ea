package dev.spream.api.plugin;

import dev.spream.api.spi.PluginProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Spliterator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks for the providers that one class loader offers. Confined to one thread. */
final class ProviderSearch {
    private static final Logger log = LoggerFactory.getLogger(ProviderSearch.class);

    private final ClassLoader loader;
    private final CallScope scope;
    private final Optional<PluginJars> jars;
    private final Collection<String> problems;
    private final List<Plugin<?>> found = new ArrayList<>();

    private ProviderSearch(
            ClassLoader loader, CallScope scope, Optional<PluginJars> jars, Collection<String> problems) {
        this.loader = loader;
        this.scope = scope;
        this.jars = jars;
        this.problems = problems;
    }

    /** What is on the class path. */
    static List<Plugin<?>> onClassPath(ClassLoader host, Collection<String> problems) {
        return new ProviderSearch(host, CallScope.unchanged(), Optional.empty(), problems).search();
    }

    /** What is in these jars, which the loader is for. */
    static List<Plugin<?>> in(PluginJars jars, PluginClassLoader loader, Collection<String> problems) {
        ProviderSearch search = new ProviderSearch(loader, CallScope.of(loader), Optional.of(jars), problems);
        int before = problems.size();
        List<Plugin<?>> found = search.search();
        if (found.isEmpty() && problems.size() == before) {
            problems.add(
                    "%s: there is no plug-in in it; a plug-in names its provider in META-INF/services, and a library belongs, with the plug-in that needs it, into a folder of their own inside the plug-in folder"
                            .formatted(jars.path()));
        }
        return found;
    }

    private List<Plugin<?>> search() {
        for (PluginKind kind : PluginKind.values()) {
            search(kind);
        }
        return found;
    }

    private void search(PluginKind kind) {
        List<String> failures = new ArrayList<>();
        var providers = ServiceLoader.load(kind.providerType(), loader).stream().spliterator();
        while (advance(providers, kind, failures)) {}
        if (!failures.isEmpty()) {
            explain(kind, failures);
        }
    }

    /** Returns whether there may be more; after a failure the next provider may be sound. */
    private boolean advance(
            Spliterator<? extends ServiceLoader.Provider<? extends PluginProvider<?>>> providers,
            PluginKind kind,
            List<String> failures) {
        try {
            return providers.tryAdvance(provider -> add(kind, provider));
        } catch (ServiceConfigurationError e) {
            boolean stuck =
                    failures.stream().anyMatch(e.toString()::equals); // such as a class path that cannot be read
            failures.add(e.toString());
            return !stuck;
        } catch (LinkageError e) {
            failures.add(e.toString());
            return true;
        }
    }

    private void add(PluginKind kind, ServiceLoader.Provider<? extends PluginProvider<?>> provider) {
        Class<?> type = provider.type();
        if (jars.isPresent() && !loader.equals(type.getClassLoader())) {
            log.debug("{}: {} is the host's own, and is passed over", jars.get().path(), type.getName());
            return;
        }
        String origin = origin(type);
        Optional<String> flaw = type.getModule().isNamed() ? Optional.<String>empty() : ProviderFlaw.of(type, kind);
        if (flaw.isPresent()) {
            problems.add(problem(origin, type.getName(), flaw.get()));
            return;
        }
        try {
            found.add(scope.call(() -> new ProviderReading(kind, origin, scope).plugin(provider.get())));
        } catch (ProviderReading.UnusableProvider e) {
            problems.add(problem(origin, type.getName(), e.flaw()));
        } catch (ServiceConfigurationError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            problems.add(problem(
                    origin, type.getName(), "cannot be made: " + new Blame(origin, jars.isPresent()).sentence(cause)));
        }
    }

    private void explain(PluginKind kind, List<String> failures) {
        List<String> explained = new ArrayList<>();
        try {
            for (ServiceEntries entry : ServiceEntries.of(kind, loader)) {
                explain(kind, entry).ifPresent(explained::add);
            }
        } catch (IOException | UncheckedIOException e) {
            explained.clear();
        }
        if (explained.isEmpty()) {
            String origin = jars.map(found -> found.path().toString()).orElse("the class path");
            failures.forEach(failure -> explained.add("%s: %s".formatted(origin, failure)));
        }
        problems.addAll(explained);
    }

    private Optional<String> explain(PluginKind kind, ServiceEntries entry) {
        String origin = jars.map(found -> found.path().toString()).orElse(entry.origin());
        try {
            Class<?> type = Class.forName(entry.className(), false, loader);
            return ProviderFlaw.of(type, kind).map(flaw -> problem(origin, entry.className(), flaw));
        } catch (ClassNotFoundException e) {
            return Optional.of(problem(
                    origin,
                    entry.className(),
                    "is named in %s, and is not there; correct the name, or build it again"
                            .formatted(ServiceEntries.file(kind))));
        } catch (LinkageError e) {
            return Optional.of(problem(
                    origin, entry.className(), "cannot be loaded: " + new Blame(origin, jars.isPresent()).sentence(e)));
        }
    }

    private String origin(Class<?> type) {
        return jars.map(found -> found.path().toString()).orElseGet(() -> ServiceEntries.origin(type));
    }

    private static String problem(String origin, String className, String flaw) {
        return "%s: %s %s".formatted(origin, className, flaw);
    }
}
