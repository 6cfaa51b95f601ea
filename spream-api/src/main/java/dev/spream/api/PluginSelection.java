package dev.spream.api;

import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.config.Suggestion;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.Port;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The plug-ins that fill the ports, chosen by name. Immutable.
 *
 * @param own the ports that the program fills itself
 */
record PluginSelection(SpreamConfig config, PluginRegistry plugins, Set<Port<?>> own, Map<Port<?>, Plugin<?>> chosen) {
    private static final String FORGETFUL = "memory";

    static PluginSelection of(SpreamConfig config, PluginRegistry plugins, Set<Port<?>> own) {
        PluginSelection selection = new PluginSelection(config, plugins, own, new HashMap<>());
        for (Port<?> port : plugins.ports()) {
            if (!own.contains(port)) {
                selection
                        .named(port)
                        .or(() -> selection.only(port))
                        .ifPresent(found -> selection.chosen.put(port, found));
            }
        }
        return selection;
    }

    /** Returns the selection for a program that needs only these ports: of them, those that are configured. */
    static PluginSelection ofDesk(SpreamConfig config, PluginRegistry plugins, Set<Port<?>> needed) {
        PluginSelection selection = new PluginSelection(config, plugins, Set.of(), new HashMap<>());
        needed.forEach(port -> selection.named(port).ifPresent(found -> selection.chosen.put(port, found)));
        return selection;
    }

    private Optional<Plugin<?>> named(Port<?> port) {
        return config.raw(port.key()).flatMap(name -> plugins.find(port, name)).map(found -> found);
    }

    /**
     * Returns the only plug-in of the port. A storage that keeps nothing after the process ends must be chosen by name.
     */
    private Optional<Plugin<?>> only(Port<?> port) {
        if (port.need() != Port.Need.ONE || config.mayConfigure(port.key())) {
            return Optional.empty();
        }
        List<Plugin<?>> candidates = plugins.plugins().stream()
                .filter(plugin -> plugin.port().equals(port) && !plugin.name().equals(FORGETFUL))
                .toList();
        return candidates.size() == 1 ? Optional.of(candidates.getFirst()) : Optional.empty();
    }

    /** Returns whether the configured storage is the one whose partitions end with the process. */
    boolean forgetsPartitions() {
        return plugin(PartitionStorageProvider.PORT)
                .filter(storage -> storage.name().equals(FORGETFUL))
                .isPresent();
    }

    @SuppressWarnings("unchecked") // the registry holds plug-ins by their port
    <T> Optional<Plugin<T>> plugin(Port<T> port) {
        return Optional.ofNullable((Plugin<T>) chosen.get(port));
    }

    boolean has(Plugin<?> plugin) {
        return chosen.containsValue(plugin);
    }

    List<String> problems(ResolvedConfig resolved) {
        return plugins.ports().stream()
                .flatMap(port -> problem(resolved, port).stream())
                .toList();
    }

    List<String> problemsOfTool(ResolvedConfig resolved, Set<Port<?>> needed) {
        return plugins.ports().stream()
                .filter(needed::contains)
                .flatMap(port -> config.mayConfigure(port.key())
                        ? problem(resolved, port).stream()
                        : Stream.of(
                                "%s is not configured: name %s. Found: %s".formatted(port, port.advice(), found(port))))
                .toList();
    }

    private Optional<String> problem(ResolvedConfig resolved, Port<?> port) {
        Optional<String> name = config.raw(port.key());
        if (own.contains(port)) {
            return name.map(given ->
                    "%s, but the program provides one: remove one of them".formatted(resolved.describe(port.key())));
        }
        if (chosen.containsKey(port) || (name.isEmpty() && port.need() == Port.Need.OPTIONAL)) {
            return Optional.empty();
        }
        if (name.isEmpty() && config.mayConfigure(port.key())) {
            return Optional.empty(); // an unreadable value is reported already
        }
        return Optional.of(name.map(given -> unknown(resolved, port, given))
                .orElseGet(() ->
                        "%s is not configured; %s. Found: %s".formatted(port, config.advice(port.key()), found(port))));
    }

    private String unknown(ResolvedConfig resolved, Port<?> port, String name) {
        List<String> names =
                plugins.plugins(port).stream().<String>map(Plugin::name).toList();
        String suggestion = Suggestion.nearest(name, names)
                .map("; did you mean %s?"::formatted)
                .orElse(".");
        String module = port.modules().get(name);
        return "%s, but there is no such plug-in%s Found: %s"
                .formatted(
                        resolved.describe(port.key()),
                        module == null ? suggestion : "; add dev.spream:%s to the class path.".formatted(module),
                        found(port));
    }

    private String found(Port<?> port) {
        String found = plugins.plugins(port).stream()
                .map(plugin -> "%s (%s)".formatted(plugin.name(), place(plugin)))
                .collect(Collectors.joining(", "));
        return found.isEmpty()
                ? "none; add the jar of one to the class path, such as dev.spream:spream-storage-spanner, or to the plug-in folder"
                : found;
    }

    /** Returns the jar or folder without its path, for lists; problems with a plug-in name the full path. */
    private static String place(Plugin<?> plugin) {
        return String.valueOf(Path.of(plugin.origin()).getFileName());
    }
}
