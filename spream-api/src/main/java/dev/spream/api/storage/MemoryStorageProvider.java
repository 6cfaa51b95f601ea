package dev.spream.api.storage;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Provider of the storage {@code memory}, for experiments: progress is lost when the process ends. */
@AutoService(PartitionStorageProvider.class)
public final class MemoryStorageProvider implements PartitionStorageProvider {
    private static final Logger log = LoggerFactory.getLogger(MemoryStorageProvider.class);

    @Override
    public String name() {
        return "memory";
    }

    @Override
    public PartitionStorage create(PluginConfig config, PluginContext context) {
        log.warn(
                "[{}] partitions and watermarks are kept in memory: they are lost when this process ends, and the"
                        + " next one starts from the beginning; configure a persistent storage, such as storage=jdbc or"
                        + " storage=spanner",
                context.subscription());
        return new InMemoryPartitionStorage(context.clock());
    }
}
