package dev.spream.storage.jdbc.projection;

import com.google.auto.service.AutoService;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionStore;
import dev.spream.storage.jdbc.internal.ConnectionKeys;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.time.Duration;
import java.util.List;

/**
 * The projections {@code jdbc}: a {@link JdbcProjectionStore} over two pools of its own, one for applying batches and a
 * small one for renewing leases, so that renewals never wait for batches; and the operations for operators.
 */
@AutoService(ProjectionStoreProvider.class)
public final class JdbcProjectionStoreProvider implements ProjectionStoreProvider {
    private static final ConfigKey<String> SCHEMA = ConnectionKeys.schema(
            "schema", "The schema of the tables that have the state of projections.", TablesBuilder.DEFAULT_SCHEMA);
    private static final ConfigKey<Boolean> MIGRATE =
            ConnectionKeys.migrate("Whether to create the schema and its tables, and to migrate them, where needed.");
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConnectionKeys.statementTimeout(
            "Time limit of a statement, including those of projections, and of a pause's wait for batches in progress.",
            ProjectionBuilder.DEFAULT_STATEMENT_TIMEOUT);

    /** Four by default, since a migration takes three. */
    private static final ConfigKey<Integer> CONNECTIONS = ConfigKey.of(
                    "connections",
                    ConfigType.integer(4, 1_000),
                    "The maximum number of connections of a process for applying batches: one for each segment that it works on."
                            + " Two more renew its leases.")
            .withDefault(16);

    private static final int KEEPING_CONNECTIONS = 2;

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return ConnectionKeys.with(SCHEMA, MIGRATE, STATEMENT_TIMEOUT, CONNECTIONS);
    }

    @Override
    public ProjectionStore<?> create(PluginConfig config, PluginContext context) {
        HikariDataSource batches = ConnectionKeys.open(config, context, config.get(CONNECTIONS));
        HikariDataSource keeping = ConnectionKeys.open(config, context, KEEPING_CONNECTIONS);
        return build(JdbcProjectionStore.builder(batches, keeping), config);
    }

    @Override
    public ProjectionOperations operations(PluginConfig config, PluginContext context) {
        return build(JdbcProjectionOperations.builder(ConnectionKeys.open(config, context)), config);
    }

    private static <P> P build(ProjectionBuilder<P> builder, PluginConfig config) {
        return builder.schema(config.get(SCHEMA))
                .migrate(config.get(MIGRATE))
                .statementTimeout(config.get(STATEMENT_TIMEOUT))
                .build();
    }
}
