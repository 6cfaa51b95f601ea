package dev.spream.storage.spanner;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.storage.spanner.connection.SpannerConnectionKeys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The storage {@code spanner}: a {@link SpannerPartitionStorage} on a connection of its own, so that change stream
 * queries do not delay it and it does not have the role that reads the stream.
 */
@AutoService(PartitionStorageProvider.class)
public final class SpannerPartitionStorageProvider implements PartitionStorageProvider {
    private static final ConfigKey<DatabaseName> DATABASE = ConfigKey.of(
                    "database", SpannerConfigTypes.database(), "Database of the tables.")
            .required()
            .withFallback("source.spanner.database");
    private static final ConfigKey<String> TABLE = ConfigKey.of(
                    "table",
                    SpannerConfigTypes.table(),
                    "Table of the partitions of one subscription; the names of three further small tables begin"
                            + " with it.")
            .required();
    private static final ConfigKey<Boolean> CREATE_TABLE = ConfigKey.of(
                    "create-table",
                    ConfigType.flag(),
                    "Whether missing tables are created, and a table of Apache Beam or the Go spream is adopted;"
                            + " its reader must be stopped.")
            .withDefault(false);
    private static final SpannerConnectionKeys CONNECTION = SpannerConnectionKeys.STORAGE;
    private static final ConfigKey<Duration> CALL_TIMEOUT = ConfigKey.of(
                    "call-timeout",
                    ConfigType.duration(SpannerPartitionStorage.MIN_TIMEOUT, SpannerPartitionStorage.MAX_TIMEOUT),
                    "Time limit of a call; at most half of lease-time is recommended.")
            .withDefault(SpannerPartitionStorage.TIMEOUT);

    @Override
    public String name() {
        return "spanner";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return CONNECTION.between(List.of(DATABASE, TABLE, CREATE_TABLE), List.of(CALL_TIMEOUT));
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return CONNECTION.problems(config, SpannerConnectionKeys.emulatorOfEnvironment());
    }

    @Override
    public PartitionStorage create(PluginConfig config, PluginContext context) {
        SpannerConnection connection = connection(config, context);
        if (config.get(CREATE_TABLE)) {
            SpannerPartitionTables.create(connection, config.get(TABLE));
        }
        return SpannerPartitionStorage.open(connection, config.get(TABLE), config.get(CALL_TIMEOUT));
    }

    @Override
    public Optional<SubscriptionCatalog> catalog(PluginConfig config, PluginContext context) {
        return Optional.of(new Catalog(connection(config, context), config.get(TABLE), config.get(CALL_TIMEOUT)));
    }

    private static SpannerConnection connection(PluginConfig config, PluginContext context) {
        SpannerConnection connection = SpannerConnection.builder(config.get(DATABASE))
                .maxOpenQueries(1)
                .configured(config, CONNECTION)
                .open();
        context.onClose(connection);
        return connection;
    }

    /** The subscriptions of a database, named by their tables of partitions. */
    private record Catalog(SpannerConnection connection, String configured, Duration callTimeout)
            implements SubscriptionCatalog {
        @Override
        public List<String> names() {
            return MetadataSchema.subscriptions(
                    connection,
                    configured,
                    new DatabaseCalls(connection.database().toString(), callTimeout));
        }

        @Override
        public PartitionStorage open(String name) {
            return SpannerPartitionStorage.open(connection, name, callTimeout);
        }
    }
}
