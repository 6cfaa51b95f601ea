package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.DeadLetterStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of a configured subscription, for a program that lists or replays them. It opens the plug-in of
 * {@code dead-letters}, and on the first call of {@link #consumer} the one of {@code sink}. If {@code subscription} is
 * not configured, it also opens the source, to read the name of the stream. The subscription may run meanwhile, in this
 * process or another.
 *
 * <pre>{@code
 * try (ConfiguredDeadLetters configured = ConfiguredDeadLetters.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     ReplayResult result = DeadLetterReplay.of(configured.letters(), configured.consumer()).all();
 * }
 * }</pre>
 *
 * <p>Confined to one thread, which closes it.
 */
public final class ConfiguredDeadLetters implements AutoCloseable {
    private final SubscriptionPlan plan;
    private final DeadLetterStore letters;
    private @Nullable Consumer consumer;

    private ConfiguredDeadLetters(ConfiguredPlugins plugins) {
        ConfigValidation validation = plugins.validate(new ProvidedComponents());
        requireUsable(plugins.config(), validation);
        this.plan = new SubscriptionPlan(plugins, validation, new ProvidedComponents());
        this.letters = letters(validation, plan);
    }

    /**
     * Validates the whole configuration, as {@link Spream#create} does, and opens the dead letters.
     *
     * @throws ConfigException if the configuration is invalid, or {@code dead-letters} is not configured
     * @throws SpreamException if the dead letters cannot be opened, or the plug-in cannot read them back
     */
    public static ConfiguredDeadLetters open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredDeadLetters::new);
    }

    /** Opens the dead letters with the given plug-ins. The caller closes the registry, after this object. */
    public static ConfiguredDeadLetters open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredDeadLetters::new);
    }

    private static void requireUsable(SpreamConfig config, ConfigValidation validation) {
        List<String> problems = new ArrayList<>(validation.problems());
        if (!config.mayConfigure(DeadLetterSinkProvider.PORT.key())) {
            problems.add("dead-letters is not configured: set it, such as dead-letters=jsonl or dead-letters=jdbc");
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }

    private static DeadLetterStore letters(ConfigValidation validation, SubscriptionPlan plan) {
        if (validation.own().find(SubscriptionKeys.SUBSCRIPTION).isEmpty()) {
            plan.openSource();
        }
        Optional<DeadLetterSink> opened = plan.openDeadLetters();
        if (opened.orElse(null) instanceof DeadLetterStore store) {
            return store;
        }
        throw new SpreamException(
                "the dead letters cannot be listed or replayed: the plug-in '%s' of dead-letters stores them, but cannot read them; use the tools of the system that holds them"
                        .formatted(validation
                                .selection()
                                .plugin(DeadLetterSinkProvider.PORT)
                                .map(Plugin::name)
                                .orElse("")));
    }

    /** Returns the name of the subscription. */
    public String subscription() {
        return plan.subscription();
    }

    /** Returns the dead letters. Safe for use by many threads until this object is closed. */
    public DeadLetterStore letters() {
        return letters;
    }

    /**
     * Returns the configured sink behind the configured filter, opened on the first call.
     *
     * @throws SpreamException if it could not be opened
     */
    public Consumer consumer() {
        Consumer open = consumer;
        if (open == null) {
            open = plan.openConsumer();
            consumer = open;
        }
        return open;
    }

    /** Closes everything that was opened. Idempotent. */
    @Override
    public void close() {
        plan.close();
    }
}
