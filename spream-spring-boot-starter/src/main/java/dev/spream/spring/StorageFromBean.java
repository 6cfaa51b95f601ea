package dev.spream.spring;

import dev.spream.core.partition.PartitionStorage;
import java.util.Map;
import java.util.Optional;

/** A storage over a bean of the application, such as a data source, in place of the configured one. */
@FunctionalInterface
public interface StorageFromBean {
    /**
     * Returns the storage, which connects with its first call; empty if the settings ask for another.
     *
     * @param subscription the name under which it is stored
     * @param settings those of the subscription, by key. The storage's own are removed from them if a storage is returned
     * @throws IllegalArgumentException if the settings are invalid; the message is shown to the user
     */
    Optional<PartitionStorage> find(String subscription, Map<String, String> settings);
}
