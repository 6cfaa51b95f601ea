package dev.spream.storage.jdbc.event;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.storage.jdbc.internal.ConnectionKeys;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.time.Duration;
import java.util.List;

/** The configuration keys of an event store's database and table. */
final class EventKeys {
    private static final ConfigKey<String> SCHEMA =
            ConnectionKeys.schema("schema", "The schema that has the table.", TablesBuilder.DEFAULT_SCHEMA);
    private static final ConfigKey<String> TABLE = ConfigKey.of(
                    "table",
                    tableName(),
                    "The table of the events. The names of its other objects begin with its name.")
            .withDefault(EventTable.DEFAULT_NAME);
    private static final ConfigKey<Boolean> MIGRATE =
            ConnectionKeys.migrate("Whether to create the schema and its table, and to migrate them, where needed.");
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConnectionKeys.statementTimeout(
            "Time limit of a statement.", JdbcEventStoreBuilder.DEFAULT_STATEMENT_TIMEOUT);

    static final List<ConfigKey<?>> ALL = ConnectionKeys.with(SCHEMA, TABLE, MIGRATE, STATEMENT_TIMEOUT);

    private EventKeys() {}

    private static ConfigType<String> tableName() {
        return new ConfigType<>(
                "lower-case identifier, 1 to %d characters".formatted(EventTable.MAX_LENGTH),
                EventTable::requireName,
                table -> table);
    }

    static JdbcEventStore open(PluginConfig config, PluginContext context) {
        return JdbcEventStore.builder(ConnectionKeys.open(config, context))
                .schema(config.get(SCHEMA))
                .table(config.get(TABLE))
                .migrate(config.get(MIGRATE))
                .statementTimeout(config.get(STATEMENT_TIMEOUT))
                .build();
    }
}
