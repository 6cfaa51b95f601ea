package dev.spream.storage.jdbc;

import com.google.auto.service.AutoService;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.partition.PartitionStorage;
import java.time.Duration;
import java.util.List;

/**
 * The storage {@code jdbc}: a {@link JdbcPartitionStorage} over a {@linkplain JdbcPool pool of its own}. Subscriptions of one
 * schema are told apart by {@link PluginContext#subscription}.
 */
@AutoService(PartitionStorageProvider.class)
public final class JdbcPartitionStorageProvider implements PartitionStorageProvider {
    private static final ConfigKey<String> URL = ConfigKey.of(
                    "url",
                    new ConfigType<>("jdbc:postgresql://host:port/database", JdbcUrl::withoutPassword, url -> url),
                    "The database.")
            .required();
    private static final ConfigKey<String> USER =
            ConfigKey.of("user", ConfigType.text(), "Who connects.").withDefaultMeaning("the URL's");
    private static final ConfigKey<String> PASSWORD = ConfigKey.of(
                    "password", ConfigType.text(), "The user's password.")
            .secret()
            .withDefaultMeaning("what the driver finds, in PGPASSWORD or ~/.pgpass");
    private static final ConfigKey<String> SCHEMA = ConfigKey.of(
                    "schema",
                    new ConfigType<>("lower-case identifier", text -> new SchemaName(text).value(), schema -> schema),
                    "The schema that has the tables. Subscriptions live in it side by side.")
            .withDefault(JdbcPartitionStorage.DEFAULT_SCHEMA);
    private static final ConfigKey<Boolean> MIGRATE = ConfigKey.of(
                    "migrate",
                    ConfigType.flag(),
                    "Whether to create the schema and its tables, and to migrate them, where needed.")
            .withDefault(true);
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConfigKey.of(
                    "statement-timeout",
                    wholeSeconds(
                            ConfigType.duration(Duration.ofSeconds(1), JdbcPartitionStorage.MAX_STATEMENT_TIMEOUT)),
                    "How long a statement may take; well below the lease time.")
            .withDefault(JdbcPartitionStorage.DEFAULT_STATEMENT_TIMEOUT);

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(URL, USER, PASSWORD, SCHEMA, MIGRATE, STATEMENT_TIMEOUT);
    }

    @Override
    public PartitionStorage create(PluginConfig config, PluginContext context) {
        HikariDataSource pool = JdbcPool.open(config.get(URL), config.find(USER), config.find(PASSWORD));
        context.onClose(pool);
        return JdbcPartitionStorage.builder(pool, context.subscription())
                .schema(config.get(SCHEMA))
                .migrate(config.get(MIGRATE))
                .statementTimeout(config.get(STATEMENT_TIMEOUT))
                .build();
    }

    private static ConfigType<Duration> wholeSeconds(ConfigType<Duration> durations) {
        return new ConfigType<>(
                durations.label() + ", in whole seconds",
                text -> {
                    Duration duration = durations.read(text);
                    if (duration.toNanosPart() != 0) {
                        throw new IllegalArgumentException("expected whole seconds");
                    }
                    return duration;
                },
                durations.writer());
    }
}
