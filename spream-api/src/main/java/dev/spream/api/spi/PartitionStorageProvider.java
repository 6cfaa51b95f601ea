package dev.spream.api.spi;

import dev.spream.core.partition.PartitionStorage;

/** Makes a {@link PartitionStorage}, as {@code storage} in the configuration names it. */
public non-sealed interface PartitionStorageProvider extends PluginProvider<PartitionStorage> {}
