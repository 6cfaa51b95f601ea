package com.example.timed;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The storage {@code timed}: an in-memory storage that logs slow calls. */
public final class TimedStorageProvider implements PartitionStorageProvider {
    private static final Logger log = LoggerFactory.getLogger(TimedStorageProvider.class);
    private static final ConfigKey<Duration> SLOW = ConfigKey.of(
                    "slow",
                    ConfigType.duration(Duration.ZERO, Duration.ofMinutes(1)),
                    "Calls that take at least this long are logged.")
            .withDefault(Duration.ofMillis(10));

    @Override
    public String name() {
        return "timed";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(SLOW);
    }

    @Override
    public PartitionStorage create(PluginConfig config, PluginContext context) {
        return timed(new InMemoryPartitionStorage(context.clock()), config.get(SLOW), context.subscription());
    }

    static PartitionStorage timed(PartitionStorage storage, Duration slow, String subscription) {
        Class<?>[] port = {PartitionStorage.class};
        return (PartitionStorage) Proxy.newProxyInstance(port[0].getClassLoader(), port, (proxy, method, arguments) -> {
            long start = System.nanoTime();
            try {
                return method.invoke(storage, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            } finally {
                Duration took = Duration.ofNanos(System.nanoTime() - start);
                if (took.compareTo(slow) >= 0) {
                    log.warn("[{}] {} took {}", subscription, method.getName(), took);
                }
            }
        });
    }
}
