package dev.spream.api.spi;

import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionStorage;
import java.util.List;

/** The subscriptions of one storage, for operators. Safe for use by many threads. */
public interface SubscriptionCatalog {

    /**
     * Returns the names of the stored subscriptions, sorted. A storage that has tables for each subscription names them
     * by their table.
     *
     * @throws StorageException if the storage fails
     */
    List<String> names();

    /** Returns the name that the configured subscription has here, whether it is stored or not. */
    String configured();

    /**
     * Opens the storage of a subscription, over the connections of this catalog. The caller closes it before them.
     *
     * @throws StorageException if the storage fails, or its tables are not as expected
     */
    PartitionStorage open(String name);
}
