package dev.spream.api.spi;

import dev.spream.core.partition.PartitionStorage;
import java.util.Map;

/** Makes a {@link PartitionStorage}, as {@code storage} in the configuration names it. */
public interface PartitionStorageProvider extends PluginProvider<PartitionStorage> {
    /** The port {@code storage}. */
    Port<PartitionStorage> PORT = new Port<>(
            ConfigKey.of("storage", ConfigType.text(), "Storage of partitions and watermarks.")
                    .withDefaultMeaning("the only one present, besides memory"),
            PartitionStorage.class,
            PartitionStorageProvider.class,
            Port.Need.ONE,
            "a storage of partitions, such as jdbc or spanner",
            Map.of("jdbc", "spream-storage-jdbc", "spanner", "spream-storage-spanner"));
}
