package dev.spream.api.plugin;

import dev.spream.api.plugin.classloader.PluginClassLoader;
import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Port;
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

/**
 * Finds the providers of one class loader. Confined to one thread.
 *
 * @param jars the jars that the loader is for; empty for the class path
 * @param problems receives the problems
 */
record ProviderSearch(
        List<Port<?>> ports,
        ClassLoader loader,
        ThreadContextClassLoader scope,
        Optional<PluginFolder.Jars> jars,
        Collection<String> problems,
        List<Plugin<?>> found) {
    private static final Logger log = LoggerFactory.getLogger(ProviderSearch.class);

    static List<Plugin<?>> onClassPath(List<Port<?>> ports, ClassLoader host, Collection<String> problems) {
        return new ProviderSearch(
                        ports,
                        host,
                        ThreadContextClassLoader.unchanged(),
                        Optional.empty(),
                        problems,
                        new ArrayList<>())
                .search();
    }

    static List<Plugin<?>> in(
            List<Port<?>> ports, PluginFolder.Jars jars, PluginClassLoader loader, Collection<String> problems) {
        int before = problems.size();
        List<Plugin<?>> found = new ProviderSearch(
                        ports,
                        loader,
                        ThreadContextClassLoader.of(loader),
                        Optional.of(jars),
                        problems,
                        new ArrayList<>())
                .search();
        if (found.isEmpty() && problems.size() == before) {
            problems.add(
                    "%s: contains no plug-in; a plug-in names its provider in META-INF/services, and a library belongs into one subfolder of the plug-in folder with the plug-in that needs it"
                            .formatted(jars.path()));
        }
        return found;
    }

    private List<Plugin<?>> search() {
        ports.forEach(this::search);
        return found;
    }

    private <T> void search(Port<T> port) {
        List<String> failures = new ArrayList<>();
        var providers = ServiceLoader.load(port.provider(), loader).stream().spliterator();
        while (advance(providers, port, failures)) {}
        if (!failures.isEmpty()) {
            explain(port, failures);
        }
    }

    /** Returns whether there may be another provider; after a failure the next one may be usable. */
    private <T> boolean advance(
            Spliterator<? extends ServiceLoader.Provider<? extends PluginProvider<T>>> providers,
            Port<T> port,
            List<String> failures) {
        try {
            return providers.tryAdvance(provider -> add(port, provider));
        } catch (ServiceConfigurationError e) {
            boolean stuck = failures.stream().anyMatch(e.toString()::equals); // for example an unreadable class path
            failures.add(e.toString());
            return !stuck;
        } catch (LinkageError e) {
            failures.add(e.toString());
            return true;
        }
    }

    private <T> void add(Port<T> port, ServiceLoader.Provider<? extends PluginProvider<T>> provider) {
        Class<?> type = provider.type();
        if (jars.isPresent() && !loader.equals(type.getClassLoader())) {
            log.debug("{}: {} belongs to the host and is ignored", jars.get().path(), type.getName());
            return;
        }
        PluginErrors errors = errors(ServiceEntries.origin(type));
        Optional<String> flaw =
                type.getModule().isNamed() ? Optional.<String>empty() : ProviderFlaw.of(type, port, ports);
        if (flaw.isPresent()) {
            problems.add(problem(errors, type.getName(), flaw.get()));
            return;
        }
        try {
            found.add(scope.call(() -> ProviderReading.plugin(port, provider.get(), scope, errors)));
        } catch (ProviderReading.UnusableProvider e) {
            problems.add(problem(errors, type.getName(), String.valueOf(e.getMessage())));
        } catch (ServiceConfigurationError e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            problems.add(problem(errors, type.getName(), "cannot be instantiated: " + errors.sentence(cause)));
        }
    }

    private void explain(Port<?> port, List<String> failures) {
        List<String> explained = new ArrayList<>();
        try {
            for (ServiceEntries entry : ServiceEntries.of(port, loader)) {
                explain(port, entry).ifPresent(explained::add);
            }
        } catch (IOException | UncheckedIOException e) {
            explained.clear();
        }
        if (explained.isEmpty()) {
            String origin = errors("the class path").origin();
            failures.forEach(failure -> explained.add("%s: %s".formatted(origin, failure)));
        }
        problems.addAll(explained);
    }

    private Optional<String> explain(Port<?> port, ServiceEntries entry) {
        PluginErrors errors = errors(entry.origin());
        try {
            Class<?> type = Class.forName(entry.className(), false, loader);
            return ProviderFlaw.of(type, port, ports).map(flaw -> problem(errors, entry.className(), flaw));
        } catch (ClassNotFoundException e) {
            return Optional.of(problem(
                    errors,
                    entry.className(),
                    "is named in %s, but does not exist; correct the name, or rebuild the plug-in"
                            .formatted(ServiceEntries.file(port))));
        } catch (LinkageError e) {
            return Optional.of(problem(errors, entry.className(), "cannot be loaded: " + errors.sentence(e)));
        }
    }

    /** @param onClassPath the jar or folder, if it is not from the plug-in folder */
    private PluginErrors errors(String onClassPath) {
        return new PluginErrors(jars.map(found -> found.path().toString()).orElse(onClassPath), jars.isPresent());
    }

    private static String problem(PluginErrors errors, String className, String flaw) {
        return "%s: %s %s".formatted(errors.origin(), className, flaw);
    }
}
