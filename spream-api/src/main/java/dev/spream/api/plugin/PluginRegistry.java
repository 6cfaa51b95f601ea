package dev.spream.api.plugin;

import dev.spream.api.plugin.classloader.PluginClassLoader;
import dev.spream.api.plugin.classloader.PluginParentClassLoader;
import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.Ports;
import dev.spream.core.SpreamException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plug-ins found on the class path and in the plug-in folder. Each jar and each subfolder of the plug-in folder has
 * a class loader of its own, which sees the JDK, the cores, spream-api and slf4j of the host and nothing else: plug-ins
 * may contain other versions of libraries than the host or other plug-ins.
 *
 * <p>Discovery does not fail: an unusable jar is reported by {@link #problems}, and the other plug-ins are found.
 *
 * <p>Immutable and safe for use by many threads. The caller of the discovery closes it, after everything created from
 * it.
 */
public final class PluginRegistry implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PluginRegistry.class);
    private final List<Port<?>> ports;
    private final List<Plugin<?>> plugins;
    private final List<String> problems;
    private final List<AutoCloseable> loaders;

    private PluginRegistry(
            List<Port<?>> ports, List<Plugin<?>> plugins, Collection<String> problems, List<AutoCloseable> loaders) {
        this.ports = ports;
        this.plugins = List.copyOf(plugins);
        this.problems = List.copyOf(problems);
        this.loaders = List.copyOf(loaders);
    }

    /**
     * Discovers the class path of the thread's context class loader, or that of spream's own class loader if there is
     * none.
     */
    public static PluginRegistry discover() {
        return discover(classPath(), Optional.empty());
    }

    /** Discovers the class path and a folder; see {@link #discover(ClassLoader, Optional)}. */
    public static PluginRegistry discover(Optional<Path> folder) {
        return discover(classPath(), folder);
    }

    /**
     * Discovers a class path and a folder.
     *
     * @param host the class loader of the class path, which must see this spream-api
     * @param folder the plug-in folder; it is a problem if it does not exist, or if other users may change its jars
     */
    public static PluginRegistry discover(ClassLoader host, Optional<Path> folder) {
        return discover(Ports.ALL, host, folder);
    }

    /**
     * Discovers with ports of a program's own in addition to {@link Ports#ALL}. Plug-ins of the folder see the types of
     * such a port only if these are in a package shared with the host.
     */
    public static PluginRegistry discover(List<Port<?>> ports, ClassLoader host, Optional<Path> folder) {
        List<Port<?>> all =
                Stream.concat(Ports.ALL.stream(), ports.stream()).distinct().toList();
        return discover(all, host, folder, true);
    }

    /**
     * Discovers with a folder that was found rather than configured, such as one in the working directory. It is used
     * only if root or the user of this process created it; otherwise that is a problem.
     */
    public static PluginRegistry discoverUnnamed(Path folder) {
        return discover(Ports.ALL, classPath(), Optional.of(folder), false);
    }

    private static PluginRegistry discover(
            List<Port<?>> ports, ClassLoader host, Optional<Path> folder, boolean named) {
        Collection<String> problems = new LinkedHashSet<>();
        List<AutoCloseable> loaders = new ArrayList<>();
        List<Plugin<?>> found = new ArrayList<>(ProviderSearch.onClassPath(ports, host, problems));
        PluginParentClassLoader view = new PluginParentClassLoader(PluginRegistry.class.getClassLoader());
        folder.map(path -> new PluginFolder(path, named, problems).read())
                .orElse(List.of())
                .forEach(jars -> {
                    PluginClassLoader loader = new PluginClassLoader(jars.path(), jars.jars(), view);
                    loaders.add(loader);
                    found.addAll(ProviderSearch.in(ports, jars, loader, problems));
                });
        found.sort(Comparator.<Plugin<?>>comparingInt(plugin -> ports.indexOf(plugin.port()))
                .thenComparing(Plugin::name)
                .thenComparing(Plugin::origin));
        List<Plugin<?>> unique = withoutNamesakes(found, problems);
        unique.forEach(plugin -> log.info("found {} {} in {}", plugin.port(), plugin.name(), plugin.origin()));
        return new PluginRegistry(ports, unique, problems, loaders);
    }

    private static ClassLoader classPath() {
        ClassLoader own = PluginRegistry.class.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            return context != null
                            && Class.forName(PluginProvider.class.getName(), false, context) == PluginProvider.class
                    ? context
                    : own;
        } catch (ClassNotFoundException | LinkageError e) {
            return own;
        }
    }

    /** Removes plug-ins with the same port and name, since a choice between them would be arbitrary. */
    private static List<Plugin<?>> withoutNamesakes(List<Plugin<?>> found, Collection<String> problems) {
        Map<String, List<Plugin<?>>> byName = new LinkedHashMap<>();
        found.forEach(plugin -> byName.computeIfAbsent(plugin.port() + " " + plugin.name(), name -> new ArrayList<>())
                .add(plugin));
        byName.forEach((name, namesakes) -> {
            if (namesakes.size() > 1) {
                problems.add(duplicates(name, namesakes));
            }
        });
        return byName.values().stream()
                .filter(namesakes -> namesakes.size() == 1)
                .<Plugin<?>>map(List::getFirst)
                .toList();
    }

    private static String duplicates(String name, List<Plugin<?>> namesakes) {
        return "%s exists %d times, so none is used: %s; %s"
                .formatted(
                        name,
                        namesakes.size(),
                        namesakes.stream().map(Plugin::origin).collect(Collectors.joining(" and ")),
                        areCopies(namesakes)
                                ? "they are copies of one jar: keep one of them"
                                : "keep one of them, or rename the others");
    }

    private static boolean areCopies(List<Plugin<?>> namesakes) {
        try {
            Path first = Path.of(namesakes.getFirst().origin());
            for (Plugin<?> namesake : namesakes) {
                Path jar = Path.of(namesake.origin());
                if (!Files.isRegularFile(jar) || Files.mismatch(first, jar) >= 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException | InvalidPathException e) {
            return false; // jars that cannot be compared are not equal
        }
    }

    /** Returns the problems of discovery, one or two sentences each, with place and remedy. */
    public List<String> problems() {
        return problems;
    }

    /** Returns the ports that were discovered. */
    public List<Port<?>> ports() {
        return ports;
    }

    /** Returns the usable plug-ins, ordered by port and name. */
    public List<Plugin<?>> plugins() {
        return plugins;
    }

    /** Returns the plug-ins of a port, ordered by name. */
    @SuppressWarnings("unchecked") // a plug-in implements its port's type
    public <T> List<Plugin<T>> plugins(Port<T> port) {
        return plugins.stream()
                .filter(plugin -> plugin.port().equals(port))
                .map(plugin -> (Plugin<T>) plugin)
                .toList();
    }

    /** Returns the plug-in of a port with this name; empty if there is none or, which is a problem, several. */
    public <T> Optional<Plugin<T>> find(Port<T> port, String name) {
        return plugins(port).stream()
                .filter(plugin -> plugin.name().equals(name))
                .findFirst();
    }

    /** Returns the plug-in of the port with this provider type, such as {@code ConsumerProvider.class}. */
    @SuppressWarnings("unchecked") // the provider type determines the port
    public <T> Optional<Plugin<T>> find(Class<? extends PluginProvider<T>> type, String name) {
        return ports.stream()
                .filter(port -> port.provider() == type)
                .flatMap(port -> find((Port<T>) port, name).stream())
                .findFirst();
    }

    /**
     * Closes the jars of the folder; objects created from them can no longer be used. Idempotent.
     *
     * @throws SpreamException if a jar could not be closed; the others are
     */
    @Override
    public void close() {
        OpenPlugin.closeAll(ThreadContextClassLoader.unchanged(), loaders).ifPresent(failure -> {
            throw new SpreamException(
                    "the jar of a plug-in could not be closed (%s); the others are".formatted(failure), failure);
        });
    }
}
