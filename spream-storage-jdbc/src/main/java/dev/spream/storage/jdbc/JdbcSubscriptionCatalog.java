package dev.spream.storage.jdbc;

import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.partition.PartitionStorage;
import java.util.List;

/** The subscriptions of a schema. */
record JdbcSubscriptionCatalog(JdbcPartitionStorage.Builder storages, String configured)
        implements SubscriptionCatalog {
    @Override
    public List<String> names() {
        return SubscriptionTable.names(storages.database());
    }

    @Override
    public PartitionStorage open(String name) {
        return storages.open(name);
    }
}
