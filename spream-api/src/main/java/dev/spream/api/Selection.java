package dev.spream.api;

import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.config.Suggestion;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which plug-in fills which port, by name. Immutable. */
final class Selection {
    /** What a subscription is made of; everything else stands beside it. */
    static final Set<PluginKind> OF_SUBSCRIPTION =
            EnumSet.of(PluginKind.SOURCE, PluginKind.STORAGE, PluginKind.SINK, PluginKind.DEAD_LETTERS);

    private static final Map<PluginKind, ConfigKey<String>> KEYS = Map.ofEntries(
            Map.entry(
                    PluginKind.SOURCE,
                    key(PluginKind.SOURCE, "Where changes come from.").withDefaultMeaning("the only one there is")),
            Map.entry(
                    PluginKind.STORAGE,
                    key(PluginKind.STORAGE, "Where partitions and their watermarks are remembered.")
                            .withDefaultMeaning("the only one there is, besides memory")),
            Map.entry(PluginKind.SINK, key(PluginKind.SINK, "What receives the changes.")),
            Map.entry(
                    PluginKind.DEAD_LETTERS,
                    key(PluginKind.DEAD_LETTERS, "Where changes go that are set aside.")
                            .withDefaultMeaning("none")),
            Map.entry(PluginKind.LOCKS, beside(PluginKind.LOCKS, "Where hierarchical locks are taken")),
            Map.entry(PluginKind.OUTBOX, beside(PluginKind.OUTBOX, "Where the entries of an outbox are")),
            Map.entry(PluginKind.SENDER, beside(PluginKind.SENDER, "What sends the entries of an outbox")),
            Map.entry(PluginKind.PROJECTIONS, beside(PluginKind.PROJECTIONS, "Where the states of projections are")),
            Map.entry(PluginKind.EVENTS, beside(PluginKind.EVENTS, "Where events are kept")),
            Map.entry(
                    PluginKind.EVENT_SOURCE,
                    beside(PluginKind.EVENT_SOURCE, "Where projections get their events from")),
            Map.entry(PluginKind.SEARCH, beside(PluginKind.SEARCH, "Where search indexes are")));

    /** Where the plug-ins of spream's own are that not every class path has. */
    private static final Map<String, String> MODULES = Map.ofEntries(
            Map.entry("sink pubsub", "spream-sink-pubsub"),
            Map.entry("source spanner", "spream-storage-spanner"),
            Map.entry("storage spanner", "spream-storage-spanner"),
            Map.entry("storage jdbc", "spream-storage-jdbc"),
            Map.entry("dead-letters jdbc", "spream-storage-jdbc"),
            Map.entry("locks jdbc", "spream-storage-jdbc"),
            Map.entry("outbox jdbc", "spream-storage-jdbc"),
            Map.entry("sender pubsub", "spream-sink-pubsub"),
            Map.entry("projections jdbc", "spream-storage-jdbc"),
            Map.entry("events jdbc", "spream-storage-jdbc"),
            Map.entry("event-source jdbc", "spream-storage-jdbc"),
            Map.entry("event-source pubsub", "spream-sink-pubsub"),
            Map.entry("search lucene", "spream-search-lucene"),
            Map.entry("search meilisearch", "spream-search-meilisearch"));

    /** What to name for a desk. */
    private static final Map<PluginKind, String> DESK_ADVICE = Map.of(
            PluginKind.SOURCE, "the change stream, such as spanner",
            PluginKind.STORAGE, "where its partitions are remembered, such as jdbc or spanner",
            PluginKind.LOCKS, "what takes them, such as jdbc",
            PluginKind.OUTBOX, "where its entries are, such as jdbc",
            PluginKind.SENDER, "what sends the entries of the outbox, such as http",
            PluginKind.PROJECTIONS, "where their states are, such as jdbc",
            PluginKind.EVENTS, "where they are kept, such as jdbc",
            PluginKind.EVENT_SOURCE, "where projections get their events from, such as jdbc, pubsub or change-stream",
            PluginKind.SEARCH, "where indexes are, such as lucene or meilisearch");

    /** The storage that nothing survives in. */
    private static final String FORGETFUL = "memory";

    private final PluginRegistry plugins;
    private final Map<PluginKind, Plugin<?>> chosen;
    private final Set<PluginKind> own;

    private Selection(PluginRegistry plugins, Map<PluginKind, Plugin<?>> chosen, Set<PluginKind> own) {
        this.plugins = plugins;
        this.chosen = chosen;
        this.own = own;
    }

    /** @param own the ports that the program fills itself */
    static Selection of(SpreamConfig config, PluginRegistry plugins, Set<PluginKind> own) {
        Map<PluginKind, Plugin<?>> chosen = new EnumMap<>(PluginKind.class);
        for (PluginKind kind : PluginKind.values()) {
            if (!own.contains(kind)) {
                Optional<String> name = config.raw(kind.key());
                Optional<Plugin<?>> plugin =
                        name.isPresent() ? plugins.find(kind, name.get()) : only(config, plugins, kind);
                plugin.ifPresent(found -> chosen.put(kind, found));
            }
        }
        return new Selection(plugins, chosen, own);
    }

    /** A storage that forgets is chosen by name only, and so is a sink: nobody's changes go somewhere by accident. */
    private static Optional<Plugin<?>> only(SpreamConfig config, PluginRegistry plugins, PluginKind kind) {
        if (kind == PluginKind.SINK || isOptional(kind) || config.mayConfigure(kind.key())) {
            return Optional.empty();
        }
        List<Plugin<?>> candidates = plugins.plugins(kind).stream()
                .filter(plugin -> !plugin.name().equals(FORGETFUL))
                .toList();
        return candidates.size() == 1 ? Optional.of(candidates.getFirst()) : Optional.empty();
    }

    /** What need not be chosen, and is not unless it is named. */
    private static boolean isOptional(PluginKind kind) {
        return kind == PluginKind.DEAD_LETTERS || !OF_SUBSCRIPTION.contains(kind);
    }

    /** The keys that choose, in the order in which changes flow. */
    static List<ConfigKey<?>> keys() {
        return Arrays.stream(PluginKind.values()).<ConfigKey<?>>map(KEYS::get).toList();
    }

    /** Those of these kinds that are named, for a program that need not have anything else. */
    static Selection ofDesk(SpreamConfig config, PluginRegistry plugins, Set<PluginKind> kinds) {
        Map<PluginKind, Plugin<?>> chosen = new EnumMap<>(PluginKind.class);
        for (PluginKind kind : kinds) {
            config.raw(kind.key())
                    .flatMap(name -> plugins.find(kind, name))
                    .ifPresent(found -> chosen.put(kind, found));
        }
        return new Selection(plugins, chosen, Set.of());
    }

    Optional<Plugin<?>> plugin(PluginKind kind) {
        return Optional.ofNullable(chosen.get(kind));
    }

    boolean has(Plugin<?> plugin) {
        return chosen.containsValue(plugin);
    }

    /** What is wrong with it. */
    List<String> problems(SpreamConfig config, ResolvedConfig resolved) {
        return Arrays.stream(PluginKind.values())
                .flatMap(kind -> problem(config, resolved, kind).stream())
                .toList();
    }

    /** What is wrong with those that a desk needs. */
    List<String> problemsOfDesk(SpreamConfig config, ResolvedConfig resolved, Set<PluginKind> needed) {
        return needed.stream()
                .flatMap(kind -> config.mayConfigure(kind.key())
                        ? problem(config, resolved, kind).stream()
                        : Stream.of("%s is not configured: name %s. Found: %s"
                                .formatted(kind.key(), DESK_ADVICE.getOrDefault(kind, "one"), found(kind))))
                .toList();
    }

    private Optional<String> problem(SpreamConfig config, ResolvedConfig resolved, PluginKind kind) {
        Optional<String> name = config.raw(kind.key());
        if (own.contains(kind)) {
            return name.map(given ->
                    "%s, and the program brings its own: leave one out".formatted(resolved.describe(kind.key())));
        }
        if (chosen.containsKey(kind) || (name.isEmpty() && isOptional(kind))) {
            return Optional.empty();
        }
        if (name.isEmpty() && config.mayConfigure(kind.key())) {
            return Optional.empty(); // what is configured could not be read, which is a problem already
        }
        return Optional.of(name.map(given -> unknown(resolved, kind, given))
                .orElseGet(() ->
                        "%s is not configured; set it in the file, by the flag --%s or by the variable %s. Found: %s"
                                .formatted(kind.key(), kind.key(), SpreamConfig.variable(kind.key()), found(kind))));
    }

    private String unknown(ResolvedConfig resolved, PluginKind kind, String name) {
        List<String> names = plugins.plugins(kind).stream().map(Plugin::name).toList();
        String suggestion = Suggestion.nearest(name, names)
                .map("; did you mean %s?"::formatted)
                .orElse(".");
        String module = MODULES.get(kind.key() + " " + name);
        return "%s, and there is no such plug-in%s Found: %s"
                .formatted(
                        resolved.describe(kind.key()),
                        module == null ? suggestion : "; it is in dev.spream:%s, which is not there.".formatted(module),
                        found(kind));
    }

    private String found(PluginKind kind) {
        String found = plugins.plugins(kind).stream()
                .map(plugin -> "%s (%s)".formatted(plugin.name(), place(plugin)))
                .collect(Collectors.joining(", "));
        return found.isEmpty()
                ? "none; add the jar of one to the class path, such as dev.spream:spream-storage-spanner, or to the plug-in folder"
                : found;
    }

    /** The jar or folder, without the way to it: lists of them are read, and problems with one name it in full. */
    private static String place(Plugin<?> plugin) {
        return String.valueOf(Path.of(plugin.origin()).getFileName());
    }

    private static ConfigKey<String> beside(PluginKind kind, String meaning) {
        return key(kind, meaning + "; a subscription needs none.").withDefaultMeaning("none");
    }

    private static ConfigKey<String> key(PluginKind kind, String meaning) {
        return ConfigKey.of(kind.key(), ConfigType.text(), meaning);
    }
}
