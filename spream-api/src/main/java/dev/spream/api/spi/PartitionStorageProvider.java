package dev.spream.api.spi;

import dev.spream.core.partition.PartitionStorage;
import java.util.Map;
import java.util.Optional;

/** Creates the {@link PartitionStorage} named by the configuration key {@code storage}. */
public interface PartitionStorageProvider extends PluginProvider<PartitionStorage> {
    /** The port {@code storage}. */
    Port<PartitionStorage> PORT = new Port<>(
            ConfigKey.of("storage", ConfigType.text(), "Storage of partitions and watermarks.")
                    .withDefaultMeaning("the only storage besides memory on the class path or in the plug-in folder"),
            PartitionStorage.class,
            PartitionStorageProvider.class,
            Port.Need.ONE,
            "the storage, such as jdbc or spanner",
            Map.of("jdbc", "spream-storage-jdbc", "spanner", "spream-storage-spanner"));

    /**
     * Creates the catalog of all subscriptions of the storage, from the same configuration. Resources are registered
     * with {@link PluginContext#onClose}, as with {@link #create}.
     *
     * @return empty if the storage cannot list its subscriptions
     */
    default Optional<SubscriptionCatalog> catalog(PluginConfig config, PluginContext context) throws Exception {
        return Optional.empty();
    }
}
