package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.filter.ChangeFilter;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.subscription.DecodingFailure;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.projection.ProjectionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A configuration beside the plug-ins there are: what was chosen, what holds, and all that is wrong. Opens nothing. */
final class Judgement {
    private static final String OWN = "";
    private static final String RETRY = "retry";
    private static final String FILTER = "filter";
    private static final Path DEFAULT_FOLDER = Path.of("plugins");
    private static final ConfigKey<Path> PLUGINS = ConfigKey.of(
                    "plugins",
                    ConfigType.path(),
                    "The folder of plug-ins: jars, and folders of jars, each loaded apart from the others.")
            .withDefault(DEFAULT_FOLDER);

    private final Selection selection;
    private final ResolvedConfig resolved;
    private final List<String> problems;

    private Judgement(Selection selection, ResolvedConfig resolved, List<String> problems) {
        this.selection = selection;
        this.resolved = resolved;
        this.problems = problems;
    }

    /** @param own what the program brings itself */
    static Judgement of(SpreamConfig config, PluginRegistry plugins, OwnParts own) {
        Selection selection = Selection.of(config, plugins, own.kinds());
        ResolvedConfig resolved = ResolvedConfig.of(config, sections(plugins, selection));
        List<String> problems = new ArrayList<>(plugins.problems());
        problems.addAll(selection.problems(config, resolved));
        problems.addAll(resolved.problems());
        Judgement judgement = new Judgement(selection, resolved, problems);
        if (resolved.problems().isEmpty()) {
            judgement.judgeTogether(own);
            judgement.askPlugins(plugins);
        }
        if (own.errorHandler != null
                && config.raw(FailurePolicy.ON_FAILURE.name()).isPresent()) {
            problems.add("%s, and the program brings its own error handler: leave one out"
                    .formatted(resolved.describe(FailurePolicy.ON_FAILURE.name())));
        }
        return judgement;
    }

    /** The same for a program that uses plug-ins of these kinds, and need not have a subscription. */
    static Judgement ofDesk(SpreamConfig config, PluginRegistry plugins, Set<PluginKind> needed) {
        Selection selection = Selection.ofDesk(config, plugins, needed);
        ResolvedConfig resolved = ResolvedConfig.of(config, sections(plugins, selection));
        List<String> problems = new ArrayList<>(plugins.problems());
        problems.addAll(selection.problemsOfDesk(config, resolved, needed));
        problems.addAll(resolved.problems());
        Judgement judgement = new Judgement(selection, resolved, problems);
        if (resolved.problems().isEmpty()) {
            judgement.judgeProjections();
            judgement.askPlugins(plugins);
        }
        return judgement;
    }

    /** The plug-in that a desk needs, and its configuration without problems. */
    Plugin<?> usable(PluginKind kind) {
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return selection.plugin(kind).orElseThrow();
    }

    /** The plug-ins of the class path, and of the folder that is configured or, if it is there, of the default one. */
    static PluginRegistry discover(SpreamConfig config) {
        Optional<String> configured = config.raw(PLUGINS.name());
        if (configured.isEmpty() && Files.isDirectory(DEFAULT_FOLDER)) {
            return PluginRegistry.discoverUnnamed(DEFAULT_FOLDER);
        }
        return PluginRegistry.discover(configured.flatMap(Judgement::readable));
    }

    /** What is no path is reported when all keys are judged. */
    private static Optional<Path> readable(String path) {
        try {
            return Optional.of(PLUGINS.type().read(path));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static List<ConfigSection> sections(PluginRegistry plugins, Selection selection) {
        List<ConfigKey<?>> own = Stream.of(
                        Selection.keys(),
                        List.<ConfigKey<?>>of(PLUGINS),
                        SubscriptionKeys.all(),
                        List.<ConfigKey<?>>of(FailurePolicy.ON_FAILURE))
                .flatMap(List::stream)
                .toList();
        Stream<ConfigSection> spream = Stream.of(
                new ConfigSection(OWN, own, true),
                new ConfigSection(RETRY, FailurePolicy.retryKeys(), true),
                new ConfigSection(FILTER, FilterKeys.all(), true),
                sectionOf(PluginKind.OUTBOX, OutboxKeys.all(), selection),
                sectionOf(PluginKind.PROJECTIONS, ProjectionKeys.all(), selection));
        Stream<ConfigSection> others = plugins.plugins().stream()
                .map(plugin -> new ConfigSection(prefix(plugin), plugin.keys(), selection.has(plugin)));
        return Stream.concat(spream, others).toList();
    }

    /** The keys of spream's own that matter when a plug-in of the kind is chosen. */
    private static ConfigSection sectionOf(PluginKind kind, List<ConfigKey<?>> keys, Selection selection) {
        return new ConfigSection(kind.key(), keys, selection.plugin(kind).isPresent());
    }

    private static String prefix(Plugin<?> plugin) {
        return plugin.kind().key() + "." + plugin.name();
    }

    /** What is wrong only in combination. */
    private void judgeTogether(OwnParts own) {
        noteRefusal(this::errorHandler);
        noteRefusal(this::filter);
        judgeProjections();
        times().problem().ifPresent(problems::add);
        boolean hasDeadLetters = own.deadLetterSink != null
                || selection.plugin(PluginKind.DEAD_LETTERS).isPresent();
        if (own().get(FailurePolicy.ON_FAILURE).needsDeadLetters() && own.errorHandler == null && !hasDeadLetters) {
            problems.add(
                    "on-failure sets changes aside, and dead-letters is not configured: choose one, such as jsonl");
        }
        if (own().get(SubscriptionKeys.DECODING_FAILURE.key()) == DecodingFailure.DEAD_LETTER && !hasDeadLetters) {
            problems.add(
                    "decoding-failure is dead-letter, and dead-letters is not configured: choose one, such as jsonl");
        }
    }

    private void judgeProjections() {
        if (selection.plugin(PluginKind.PROJECTIONS).isPresent()) {
            noteRefusal(this::projections);
        }
    }

    /** What only those know that are chosen. */
    private void askPlugins(PluginRegistry plugins) {
        plugins.plugins().stream()
                .filter(selection::has)
                .forEach(plugin -> plugin.problems(of(plugin))
                        .forEach(problem -> problems.add("%s.%s".formatted(prefix(plugin), problem))));
    }

    private void noteRefusal(Runnable making) {
        try {
            making.run();
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    Selection selection() {
        return selection;
    }

    ResolvedConfig resolved() {
        return resolved;
    }

    List<String> problems() {
        return List.copyOf(problems);
    }

    PluginConfig own() {
        return resolved.section(OWN);
    }

    PluginConfig of(Plugin<?> plugin) {
        return resolved.section(prefix(plugin));
    }

    SubscriberOptions.Builder options() {
        return SubscriptionKeys.options(own());
    }

    StreamTimes times() {
        return new StreamTimes(own().find(SubscriptionKeys.START), own().find(SubscriptionKeys.END));
    }

    ErrorHandler errorHandler() {
        return FailurePolicy.of(own(), resolved.section(RETRY));
    }

    PluginConfig outbox() {
        return resolved.section(PluginKind.OUTBOX.key());
    }

    ProjectionOptions projections() {
        return ProjectionKeys.options(resolved.section(PluginKind.PROJECTIONS.key()));
    }

    /** What this process is called among those it shares work with: as configured, or else by where it runs, host and process id. */
    String workerName() {
        return own().find(SubscriptionKeys.WORKER)
                .orElseGet(() -> "%s:%d"
                        .formatted(
                                Optional.ofNullable(System.getenv("HOSTNAME")).orElse("spream"),
                                ProcessHandle.current().pid()));
    }

    ChangeFilter filter() {
        return FilterKeys.filter(resolved.section(FILTER));
    }
}
