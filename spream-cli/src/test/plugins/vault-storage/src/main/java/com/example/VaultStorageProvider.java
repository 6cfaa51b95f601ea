package com.example;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.storage.jdbc.JdbcPartitionStorageProvider;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** PostgreSQL with a spream-storage-jdbc of its own, under another name; logs which Gson it sees. */
public final class VaultStorageProvider implements PartitionStorageProvider {
    private static final Logger log = LoggerFactory.getLogger(VaultStorageProvider.class);

    private final JdbcPartitionStorageProvider jdbc = new JdbcPartitionStorageProvider();

    @Override
    public String name() {
        return "vault";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return jdbc.keys();
    }

    @Override
    public PartitionStorage create(PluginConfig config, PluginContext context) throws ReflectiveOperationException {
        // By reflection: a constant would be that of the compilation.
        Object version = Class.forName("com.google.gson.internal.GsonBuildConfig")
                .getField("VERSION")
                .get(null);
        log.warn("the storage sees gson {}, and {}", version, where(jdbc.getClass()));
        return jdbc.create(config, context);
    }

    private static String where(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().toString();
    }
}
