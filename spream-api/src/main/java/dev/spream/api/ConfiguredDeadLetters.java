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
 * The dead letters of a configured subscription, to look at them or to replay them while {@link Spream} runs in this
 * process, in another one or nowhere. It opens what {@code dead-letters} names and, when it is asked for, what {@code sink}
 * names; of the source it opens at most as much as tells the stream's name.
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
     * Judges the whole configuration, as {@link Spream#create} does, and opens the dead letters.
     *
     * @throws ConfigException if the configuration cannot be used, or names no dead letters
     * @throws SpreamException if the dead letters could not be opened, or are not handed back
     */
    public static ConfiguredDeadLetters open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredDeadLetters::new);
    }

    /** The same with these plug-ins to choose from; the caller closes them, after this. */
    public static ConfiguredDeadLetters open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredDeadLetters::new);
    }

    private static void requireUsable(SpreamConfig config, ConfigValidation validation) {
        List<String> problems = new ArrayList<>(validation.problems());
        if (!config.mayConfigure(DeadLetterSinkProvider.PORT.key())) {
            problems.add("dead-letters is not configured: name what keeps them, such as jsonl or jdbc");
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
                "dead-letters %s keeps letters and does not hand them back: work with them where it keeps them"
                        .formatted(validation
                                .selection()
                                .plugin(DeadLetterSinkProvider.PORT)
                                .map(Plugin::name)
                                .orElse("")));
    }

    /** The name of the subscription. */
    public String subscription() {
        return plan.subscription();
    }

    /** The dead letters. Safe for use by many threads, until this is closed. */
    public DeadLetterStore letters() {
        return letters;
    }

    /**
     * The configured sink behind the configured filter, opened when first asked for.
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

    /** Closes what was opened. Closing again is harmless. */
    @Override
    public void close() {
        plan.close();
    }
}
