package dev.spream.api;

import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.config.Suggestion;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.FormatProvider;
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
            if (!own.contains(port) && port.need() != Port.Need.SINK) {
                selection
                        .named(port)
                        .or(() -> selection.only(port))
                        .ifPresent(found -> selection.chosen.put(port, found));
            }
        }
        selection
                .namedFormat()
                .flatMap(name -> plugins.find(FormatProvider.PORT, name))
                .ifPresent(found -> selection.chosen.put(FormatProvider.PORT, found));
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

    /** Returns the key of the chosen sink that names a format; empty if the sink has one form only. */
    private Optional<ConfigKey<?>> formatKey() {
        return plugin(ConsumerProvider.PORT)
                .flatMap(sink -> sink.keys().stream()
                        .filter(key -> key.name().equals(FormatProvider.PORT.key()))
                        .findFirst());
    }

    /** Returns the full name of that key. */
    private String formatKeyName() {
        return plugin(ConsumerProvider.PORT).orElseThrow().section() + "." + FormatProvider.PORT.key();
    }

    /** Returns the name of the format that the sink is configured with, if it is not one of spream's own. */
    private Optional<String> namedFormat() {
        return formatKey()
                .flatMap(key -> config.raw(formatKeyName())
                        .filter(name -> !key.type().choices().contains(name))
                        .filter(name -> accepts(key, name)));
    }

    private static boolean accepts(ConfigKey<?> key, String text) {
        try {
            key.type().read(text);
            return true;
        } catch (RuntimeException e) {
            return false; // reported with the other values
        }
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
        if (port.need() == Port.Need.SINK) {
            return namedFormat().filter(name -> !chosen.containsKey(port)).map(name -> unknownFormat(resolved, name));
        }
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

    private String unknownFormat(ResolvedConfig resolved, String name) {
        List<String> shipped = formatKey().orElseThrow().type().choices();
        List<Plugin<Format>> added = plugins.plugins(FormatProvider.PORT);
        String suggestion = Suggestion.nearest(
                        name,
                        Stream.concat(shipped.stream(), added.stream().map(Plugin::name))
                                .toList())
                .map("; did you mean %s?"::formatted)
                .orElse(".");
        String module = FormatProvider.PORT.modules().get(name);
        return "%s, but there is no such format%s Found: %s"
                .formatted(
                        resolved.describe(formatKeyName()),
                        module == null
                                ? suggestion
                                : "; add dev.spream:%s to the class path, or its folder to the plug-in folder."
                                        .formatted(module),
                        Stream.concat(shipped.stream(), added.stream().map(PluginSelection::named))
                                .collect(Collectors.joining(", ")));
    }

    private static String named(Plugin<?> plugin) {
        return "%s (%s)".formatted(plugin.name(), place(plugin));
    }

    private String found(Port<?> port) {
        String found =
                plugins.plugins(port).stream().map(PluginSelection::named).collect(Collectors.joining(", "));
        return found.isEmpty()
                ? "none; add the jar of one to the class path, such as dev.spream:spream-storage-spanner, or to the plug-in folder"
                : found;
    }

    /** Returns the jar or folder without its path, for lists; problems with a plug-in name the full path. */
    private static String place(Plugin<?> plugin) {
        return String.valueOf(Path.of(plugin.origin()).getFileName());
    }
}
