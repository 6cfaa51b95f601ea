package com.example.telltale;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** A storage in memory that shows its lineage once, and then quotes its password and a row. */
public final class TelltaleStorageProvider implements PartitionStorageProvider {
    @Override
    public String name() {
        return "telltale";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(TelltaleSinkProvider.PASSWORD);
    }

    @Override
    public PartitionStorage create(PluginConfig config, PluginContext context) {
        PartitionStorage storage = new InMemoryPartitionStorage(context.clock());
        String password = config.get(TelltaleSinkProvider.PASSWORD);
        Class<?>[] port = {PartitionStorage.class};
        AtomicBoolean begun = new AtomicBoolean(); // before, the run itself reads the lineage
        return (PartitionStorage) Proxy.newProxyInstance(port[0].getClassLoader(), port, (proxy, method, arguments) -> {
            if (method.getName().equals("markRunning")) {
                begun.set(true);
            }
            if (method.getName().equals("lineage") && begun.get()) {
                throw new IllegalStateException(
                        "storage refused " + password + "\n  Detail: Failing row (17, Jane Doe).");
            }
            try {
                return method.invoke(storage, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
