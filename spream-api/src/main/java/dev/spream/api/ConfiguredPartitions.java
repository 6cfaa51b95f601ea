package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.core.SpreamException;
import dev.spream.core.partition.PartitionStorage;
import java.util.List;
import java.util.Optional;

/**
 * The stored partitions of a configured subscription, for a program that shows them while the subscription runs
 * elsewhere. Neither the source nor the sink is opened, and their configuration is not checked.
 *
 * <pre>{@code
 * try (ConfiguredPartitions configured = ConfiguredPartitions.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     Lineage lineage = configured.storage().lineage();
 * }
 * }</pre>
 *
 * <p>Connections are opened on first use. Confined to one thread, which closes it; the storage may be used by many.
 */
public final class ConfiguredPartitions extends ConfiguredPort<PartitionStorage> {
    private final String subscription;

    private ConfiguredPartitions(ConfiguredPlugins plugins) {
        super(plugins, PartitionStorageProvider.PORT);
        this.subscription = validation
                .own()
                .find(SubscriptionKeys.SUBSCRIPTION)
                .or(() -> streamName(plugins.config()))
                .orElseThrow(() -> new ConfigException(
                        List.of("subscription is not configured: set it to the name of the stored subscription")));
    }

    private static Optional<String> streamName(SpreamConfig config) {
        return config.raw(ChangeStreamSourceProvider.PORT.key())
                .flatMap(source -> config.raw("%s.%s.stream".formatted(ChangeStreamSourceProvider.PORT.key(), source)));
    }

    /**
     * Validates the configuration of the storage.
     *
     * @throws ConfigException if it is invalid, or neither {@code subscription} nor the stream is configured
     */
    public static ConfiguredPartitions open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredPartitions::new);
    }

    /** Opens the storage with the given plug-ins. The caller closes the registry, after this object. */
    public static ConfiguredPartitions open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredPartitions::new);
    }

    /** Returns the name of the subscription. */
    public String subscription() {
        return subscription;
    }

    /**
     * Returns the storage, opened on the first call.
     *
     * @throws SpreamException if it could not be opened
     */
    public PartitionStorage storage() {
        return once(PartitionStorage.class, () -> open(subscription));
    }
}
