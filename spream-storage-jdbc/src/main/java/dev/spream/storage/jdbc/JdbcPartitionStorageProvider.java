package dev.spream.storage.jdbc;

import com.google.auto.service.AutoService;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.storage.jdbc.internal.ConnectionKeys;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The storage {@code jdbc}: a {@link JdbcPartitionStorage} over a {@linkplain JdbcPool pool of its own}. {@link
 * PluginContext#subscription} names the subscription in the schema.
 */
@AutoService(PartitionStorageProvider.class)
public final class JdbcPartitionStorageProvider implements PartitionStorageProvider {
    private static final ConfigKey<String> SCHEMA = ConnectionKeys.schema(
            "schema", "The schema of the tables, which several subscriptions can share.", TablesBuilder.DEFAULT_SCHEMA);
    private static final ConfigKey<Boolean> MIGRATE =
            ConnectionKeys.migrate("Whether to create the schema and its tables, and to migrate them, where needed.");
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConnectionKeys.statementTimeout(
            "Time limit of a statement; keep it well below the lease time.",
            JdbcPartitionStorage.DEFAULT_STATEMENT_TIMEOUT);

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return ConnectionKeys.with(SCHEMA, MIGRATE, STATEMENT_TIMEOUT);
    }

    @Override
    public PartitionStorage create(PluginConfig config, PluginContext context) {
        return builder(config, context).build();
    }

    @Override
    public Optional<SubscriptionCatalog> catalog(PluginConfig config, PluginContext context) {
        return Optional.of(builder(config, context).catalog());
    }

    private static JdbcPartitionStorage.Builder builder(PluginConfig config, PluginContext context) {
        HikariDataSource pool = ConnectionKeys.open(config, context);
        return JdbcPartitionStorage.builder(pool, context.subscription())
                .schema(config.get(SCHEMA))
                .migrate(config.get(MIGRATE))
                .statementTimeout(config.get(STATEMENT_TIMEOUT));
    }
}
