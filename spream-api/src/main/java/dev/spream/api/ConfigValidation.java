package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.filter.ChangeFilter;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.FormatProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.Port;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.subscription.DecodingFailure;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.projection.ProjectionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A configuration validated against the plug-ins found: the chosen plug-ins, the resolved values and every problem.
 * Opens nothing.
 */
record ConfigValidation(PluginSelection selection, ResolvedConfig resolved, List<String> problems) {
    private static final String OWN = "";
    private static final String RETRY = "retry";
    private static final String FILTER = "filter";
    private static final Path DEFAULT_FOLDER = Path.of("plugins");
    private static final ConfigKey<Path> PLUGINS = ConfigKey.of(
                    "plugins",
                    ConfigType.path(),
                    "Folder of plug-ins: jars and folders of jars, each with a class loader of its own.")
            .withDefault(DEFAULT_FOLDER);

    static ConfigValidation of(SpreamConfig config, PluginRegistry plugins, ProvidedComponents own) {
        ConfigValidation validation = of(config, plugins, PluginSelection.of(config, plugins, own.ports()));
        validation.problems.addAll(validation.selection.problems(validation.resolved));
        validation.validate(plugins, () -> validation.validateTogether(own));
        if (own.errorHandler != null
                && config.raw(FailurePolicy.ON_FAILURE.name()).isPresent()) {
            validation.problems.add("%s, but the program provides an error handler: remove one of them"
                    .formatted(validation.resolved.describe(FailurePolicy.ON_FAILURE.name())));
        }
        return validation;
    }

    /**
     * Validates the configuration for a program that uses only the plug-ins of these ports and needs no subscription.
     */
    static ConfigValidation ofDesk(SpreamConfig config, PluginRegistry plugins, Set<Port<?>> needed) {
        ConfigValidation validation = of(config, plugins, PluginSelection.ofDesk(config, plugins, needed));
        validation.problems.addAll(validation.selection.problemsOfTool(validation.resolved, needed));
        validation.validate(plugins, () -> {});
        return validation;
    }

    /** Senders of destinations are validated by themselves, as {@link OutboxKeys#ofSender} returns their configuration. */
    private static ConfigValidation of(SpreamConfig config, PluginRegistry plugins, PluginSelection selection) {
        ResolvedConfig resolved = ResolvedConfig.of(config.without(OutboxKeys.SENDERS), sections(plugins, selection));
        return new ConfigValidation(selection, resolved, new ArrayList<>(plugins.problems()));
    }

    /** Runs the checks that span several keys. Skipped if a single key is invalid. */
    private void validate(PluginRegistry plugins, Runnable more) {
        problems.addAll(resolved.problems());
        if (!resolved.problems().isEmpty()) {
            return;
        }
        more.run();
        if (selection.plugin(ProjectionStoreProvider.PORT).isPresent()) {
            noteRefusal(this::projections);
        }
        plugins.plugins().stream()
                .filter(selection::has)
                .forEach(plugin -> plugin.problems(of(plugin))
                        .forEach(problem -> problems.add("%s.%s".formatted(plugin.section(), problem))));
    }

    /** Returns the plug-in of a port; throws if the configuration has problems. */
    <T> Plugin<T> usable(Port<T> port) {
        requireUsable();
        return selection.plugin(port).orElseThrow();
    }

    void requireUsable() {
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }

    /**
     * Discovers the plug-ins on the class path and in the configured folder, or else in the default folder if it
     * exists.
     */
    static PluginRegistry discover(SpreamConfig config) {
        Optional<String> configured = config.raw(PLUGINS.name());
        if (configured.isEmpty() && Files.isDirectory(DEFAULT_FOLDER)) {
            return PluginRegistry.discoverUnnamed(DEFAULT_FOLDER);
        }
        return PluginRegistry.discover(configured.flatMap(ConfigValidation::readable));
    }

    /** Returns the path; an invalid path is reported when all keys are validated. */
    private static Optional<Path> readable(String path) {
        try {
            return Optional.of(PLUGINS.type().read(path));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static List<ConfigSection> sections(PluginRegistry plugins, PluginSelection selection) {
        List<ConfigKey<?>> own = Stream.of(
                        plugins.ports().stream()
                                .filter(port -> port.need() != Port.Need.SINK)
                                .<ConfigKey<?>>map(Port::choice)
                                .toList(),
                        List.<ConfigKey<?>>of(PLUGINS),
                        SubscriptionKeys.all(),
                        List.<ConfigKey<?>>of(FailurePolicy.ON_FAILURE))
                .flatMap(List::stream)
                .toList();
        Stream<ConfigSection> spream = Stream.of(
                new ConfigSection(OWN, own, true),
                new ConfigSection(RETRY, FailurePolicy.retryKeys(), true),
                new ConfigSection(FILTER, FilterKeys.all(), true),
                sectionOf(OutboxStoreProvider.PORT, OutboxKeys.all(), selection),
                sectionOf(ProjectionStoreProvider.PORT, ProjectionKeys.all(), selection));
        Stream<ConfigSection> others = plugins.plugins().stream()
                .map(plugin -> new ConfigSection(plugin.section(), plugin.keys(), selection.has(plugin)));
        return Stream.concat(spream, others).toList();
    }

    private static ConfigSection sectionOf(Port<?> port, List<ConfigKey<?>> keys, PluginSelection selection) {
        return new ConfigSection(port.key(), keys, selection.plugin(port).isPresent());
    }

    private void validateTogether(ProvidedComponents own) {
        noteRefusal(this::errorHandler);
        noteRefusal(this::filter);
        times().problem().ifPresent(problems::add);
        times().start()
                .filter(start -> own().get(SubscriptionKeys.SNAPSHOT.key()))
                .ifPresent(start -> problems.add(
                        "start is %s, and snapshot is true: a snapshot starts at the time of the first run; remove start"
                                .formatted(start)));
        boolean hasDeadLetters = own.ports().contains(DeadLetterSinkProvider.PORT)
                || selection.plugin(DeadLetterSinkProvider.PORT).isPresent();
        if (own().get(FailurePolicy.ON_FAILURE).needsDeadLetters() && own.errorHandler == null && !hasDeadLetters) {
            problems.add(
                    "on-failure dead-letters changes, but dead-letters is not configured: set it, such as dead-letters=jsonl");
        }
        validateTransactions();
        selection
                .plugin(ConsumerProvider.PORT)
                .filter(ConfigValidation::needsPartitionOrder)
                .ifPresent(this::validatePartitionOrder);
        if (own().get(SubscriptionKeys.DECODING_FAILURE.key()) == DecodingFailure.DEAD_LETTER && !hasDeadLetters) {
            problems.add(
                    "decoding-failure is dead-letter, but dead-letters is not configured: set it, such as dead-letters=jsonl");
        }
    }

    /**
     * A sink that stores positions would lose changes in another order, or if two processes with states of their own used
     * one name; and a dead letter that is replayed would count twice if its change was counted although the sink reported a
     * failure.
     */
    private void validatePartitionOrder(Plugin<Consumer> sink) {
        if (selection.forgetsPartitions()) {
            problems.add(
                    "storage is memory, but the sink %s counts changes by positions that workers share: another process of this name would drop changes of this one. Set storage=jdbc or storage=spanner"
                            .formatted(sink.name()));
        }
        own().find(SubscriptionKeys.ORDERING.key())
                .filter(ordering -> ordering != Ordering.PARTITION)
                .ifPresent(ordering -> problems.add(
                        "ordering is %s, but the sink %s needs the order in which a partition is read: set ordering=partition, or remove it"
                                .formatted(ordering.name().toLowerCase(Locale.ROOT), sink.name())));
        if (own().get(SubscriptionKeys.TRANSACTIONS.key()) == TransactionMode.WHOLE) {
            problems.add(
                    "transaction-mode is whole, but the sink %s needs the order in which a partition is read: set transaction-mode=commit-order, or off"
                            .formatted(sink.name()));
        }
        FailurePolicy.Outcome outcome = own().get(FailurePolicy.ON_FAILURE);
        if (outcome != FailurePolicy.Outcome.STOP) {
            problems.add(
                    "on-failure is %s, but the sink %s fails for all changes at once, and may have counted a change that it reports as failed: set on-failure=stop, or remove it"
                            .formatted(FailurePolicy.ON_FAILURE.type().write(outcome), sink.name()));
        }
    }

    private void validateTransactions() {
        if (own().get(SubscriptionKeys.TRANSACTIONS.key()) == TransactionMode.COMMIT_ORDER
                && own().get(SubscriptionKeys.SNAPSHOT.key())) {
            problems.add(
                    "transaction-mode is commit-order, and snapshot is true: the rows of a snapshot have one commit timestamp. Set transaction-mode=whole, or remove snapshot");
        }
        if (own().get(SubscriptionKeys.TRANSACTIONS.key()) != TransactionMode.OFF
                && own().get(SubscriptionKeys.DECODING_FAILURE.key()) == DecodingFailure.DEAD_LETTER) {
            problems.add(
                    "decoding-failure is dead-letter, but a transaction is not whole without a row that cannot be decoded: set decoding-failure=stop, or transaction-mode=off");
        }
    }

    private void noteRefusal(Runnable making) {
        try {
            making.run();
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public List<String> problems() {
        return List.copyOf(problems);
    }

    PluginConfig own() {
        return resolved.section(OWN);
    }

    /** Returns the plug-in of the format that this plug-in's configuration names; empty if it names none. */
    Optional<Plugin<Format>> formatOf(Plugin<?> plugin) {
        return plugin.port().equals(ConsumerProvider.PORT) ? selection.plugin(FormatProvider.PORT) : Optional.empty();
    }

    PluginConfig of(Plugin<?> plugin) {
        return resolved.section(plugin.section());
    }

    SubscriberOptions.Builder options() {
        SubscriberOptions.Builder options = SubscriptionKeys.options(own());
        selection.plugin(ConsumerProvider.PORT).ifPresent(sink -> {
            if (needsPartitionOrder(sink)) {
                options.ordering(Ordering.PARTITION);
            }
            if (own().find(SubscriptionKeys.WATERMARK_INTERVAL.key()).isEmpty()) {
                sink.ask(ConsumerProvider.class, ConsumerProvider::watermarkInterval)
                        .ifPresent(options::watermarkInterval);
            }
        });
        return options;
    }

    private static boolean needsPartitionOrder(Plugin<Consumer> sink) {
        return sink.ask(ConsumerProvider.class, ConsumerProvider::needsPartitionOrder);
    }

    StreamTimes times() {
        return new StreamTimes(own().find(SubscriptionKeys.START), own().find(SubscriptionKeys.END));
    }

    ErrorHandler errorHandler() {
        return FailurePolicy.of(own(), resolved.section(RETRY));
    }

    /** Returns the program's handler, as far as the sink allows its decisions. */
    ErrorHandler errorHandler(ErrorHandler own) {
        return selection
                .plugin(ConsumerProvider.PORT)
                .filter(ConfigValidation::needsPartitionOrder)
                .<ErrorHandler>map(sink -> new StoppingErrorHandler(own, sink.name()))
                .orElse(own);
    }

    PluginConfig outbox() {
        return resolved.section(OutboxStoreProvider.PORT.key());
    }

    ProjectionOptions projections() {
        return ProjectionKeys.options(resolved.section(ProjectionStoreProvider.PORT.key()));
    }

    /** Returns the worker name: the configured one, or else host name and process id. */
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
