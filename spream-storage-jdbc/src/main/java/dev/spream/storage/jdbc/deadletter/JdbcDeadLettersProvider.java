package dev.spream.storage.jdbc.deadletter;

import com.google.auto.service.AutoService;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.internal.ConnectionKeys;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.time.Duration;
import java.util.List;

/**
 * The dead letters {@code jdbc}: a {@link JdbcDeadLetterStore} over a {@linkplain JdbcPool pool of its own}. {@link
 * PluginContext#subscription} names the subscription in the schema.
 */
@AutoService(DeadLetterSinkProvider.class)
public final class JdbcDeadLettersProvider implements DeadLetterSinkProvider {
    private static final ConfigKey<String> SCHEMA = ConnectionKeys.schema(
            "schema",
            "The schema of the tables, which several subscriptions and a partition storage can share.",
            TablesBuilder.DEFAULT_SCHEMA);
    private static final ConfigKey<Boolean> MIGRATE =
            ConnectionKeys.migrate("Whether to create the schema and its tables, and to migrate them, where needed.");
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConnectionKeys.statementTimeout(
            "Time limit of a statement.", JdbcDeadLetterStore.DEFAULT_STATEMENT_TIMEOUT);
    private static final ConfigKey<Duration> RESOLVED_RETENTION = ConfigKey.of(
                    "resolved-retention",
                    ConfigType.duration(Duration.ZERO, Duration.ofDays(3650)),
                    "Time that a dead letter stays stored after it was replayed or discarded.")
            .withDefault(JdbcDeadLetterStore.DEFAULT_RESOLVED_RETENTION);

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return ConnectionKeys.with(SCHEMA, MIGRATE, STATEMENT_TIMEOUT, RESOLVED_RETENTION);
    }

    @Override
    public DeadLetterSink create(PluginConfig config, PluginContext context) throws InterruptedException {
        HikariDataSource pool = ConnectionKeys.open(config, context);
        return JdbcDeadLetterStore.builder(pool, context.subscription())
                .schema(config.get(SCHEMA))
                .migrate(config.get(MIGRATE))
                .statementTimeout(config.get(STATEMENT_TIMEOUT))
                .resolvedRetention(config.get(RESOLVED_RETENTION))
                .build();
    }
}
