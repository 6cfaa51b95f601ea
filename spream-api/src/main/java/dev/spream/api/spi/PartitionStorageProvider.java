package dev.spream.api.spi;

import dev.spream.core.partition.PartitionStorage;
import java.util.Map;

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
}
