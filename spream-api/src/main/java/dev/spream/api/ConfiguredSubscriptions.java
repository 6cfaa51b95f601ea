package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.SpreamException;
import dev.spream.core.partition.PartitionStorage;
import java.util.List;
import java.util.Optional;

/**
 * The stored subscriptions of a configured storage, for a program that shows them while they run elsewhere. Neither a
 * source nor a sink is opened, and their configuration is not checked.
 *
 * <pre>{@code
 * try (ConfiguredSubscriptions configured = ConfiguredSubscriptions.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     for (String name : configured.catalog().names()) {
 *         try (PartitionStorage storage = configured.catalog().open(name)) {
 *             System.out.println(name + " " + storage.frontier().lowWatermark());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Connections are opened on first use. Confined to one thread, which closes it; the catalog may be used by many.
 */
public final class ConfiguredSubscriptions extends ConfiguredPort<PartitionStorage> {
    private final Optional<String> subscription;

    private ConfiguredSubscriptions(ConfiguredPlugins plugins) {
        super(plugins, PartitionStorageProvider.PORT);
        this.subscription = validation.own().find(SubscriptionKeys.SUBSCRIPTION).or(() -> streamName(plugins.config()));
    }

    private static Optional<String> streamName(SpreamConfig config) {
        return config.raw(ChangeStreamSourceProvider.PORT.key())
                .flatMap(source -> config.raw("%s.%s.stream".formatted(ChangeStreamSourceProvider.PORT.key(), source)));
    }

    /**
     * Validates the configuration of the storage.
     *
     * @throws ConfigException if it is invalid
     */
    public static ConfiguredSubscriptions open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredSubscriptions::new);
    }

    /** Opens the storage with the given plug-ins. The caller closes the registry, after this object. */
    public static ConfiguredSubscriptions open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredSubscriptions::new);
    }

    /** Returns the name of the configured subscription; empty if neither {@code subscription} nor the stream is. */
    public Optional<String> subscription() {
        return subscription;
    }

    /**
     * Returns the catalog of the storage, opened on the first call. That of a storage which cannot list its
     * subscriptions has the configured one alone.
     *
     * @throws SpreamException if it could not be opened, or no subscription is configured that it needs
     */
    public SubscriptionCatalog catalog() {
        return once(
                SubscriptionCatalog.class,
                () -> beside(
                                PartitionStorageProvider.class,
                                PartitionStorageProvider::catalog,
                                SubscriptionCatalog.class,
                                subscription.orElse(NAME))
                        .orElseGet(() -> new OneSubscription(subscription.orElseThrow(() -> new SpreamException(
                                "this storage does not list its subscriptions: set subscription to the name of one",
                                null)))));
    }

    /** The catalog of a storage that cannot list its subscriptions. */
    private final class OneSubscription implements SubscriptionCatalog {
        private final String name;

        private OneSubscription(String name) {
            this.name = name;
        }

        @Override
        public List<String> names() {
            return List.of(name);
        }

        @Override
        public String configured() {
            return name;
        }

        @Override
        public PartitionStorage open(String opened) {
            return ConfiguredSubscriptions.this.open(opened);
        }
    }
}
