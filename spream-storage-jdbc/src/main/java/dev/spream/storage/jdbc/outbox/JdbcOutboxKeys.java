package dev.spream.storage.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.storage.jdbc.internal.ConnectionKeys;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import java.time.Duration;
import java.util.List;

/** The configuration keys of an outbox's database and tables. */
final class JdbcOutboxKeys {
    private static final ConfigKey<String> SCHEMA =
            ConnectionKeys.schemaOrDatabase("The schema that has the tables; in MySQL and MariaDB, a database.");
    private static final ConfigKey<String> TABLE = ConfigKey.of(
                    "table",
                    tableName(),
                    "The table of the entries. The other tables, except the ledger, have this name with a suffix.")
            .withDefault(OutboxTables.DEFAULT_OUTBOX);
    private static final ConfigKey<String> LEDGER = ConfigKey.of(
                    "ledger", tableName(), "The table of the idempotency ledger. Outboxes do not share one.")
            .withDefault(OutboxTables.DEFAULT_LEDGER);
    private static final ConfigKey<Boolean> MIGRATE = ConnectionKeys.migrate(
            "Whether to create the schema and its tables, and to migrate them, where needed, including tables of earlier"
                    + " workers.");
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConnectionKeys.statementTimeout(
            "Maximum duration of a statement. Should be a fraction of the lease.",
            OutboxBuilder.DEFAULT_STATEMENT_TIMEOUT);

    static final List<ConfigKey<?>> ALL =
            ConnectionKeys.ofAnyKindWith(SCHEMA, TABLE, LEDGER, MIGRATE, STATEMENT_TIMEOUT);

    private JdbcOutboxKeys() {}

    private static ConfigType<String> tableName() {
        return new ConfigType<>(
                "lower-case identifier, 1 to %d characters".formatted(OutboxTables.MAX_LENGTH),
                OutboxTables::requireTable,
                table -> table);
    }

    static HikariDataSource open(PluginConfig config, PluginContext context) {
        return ConnectionKeys.open(config, context, ConnectionKeys.URL_OF_ANY_KIND);
    }

    static <P> P build(OutboxBuilder<P> builder, PluginConfig config) {
        config.find(SCHEMA).ifPresent(builder::schema);
        return builder.table(config.get(TABLE))
                .ledger(config.get(LEDGER))
                .migrate(config.get(MIGRATE))
                .statementTimeout(config.get(STATEMENT_TIMEOUT))
                .build();
    }
}
