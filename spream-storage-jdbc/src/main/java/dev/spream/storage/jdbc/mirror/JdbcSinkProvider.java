package dev.spream.storage.jdbc.mirror;

import com.google.auto.service.AutoService;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.storage.jdbc.internal.ConnectionKeys;
import dev.spream.storage.jdbc.ledger.AppliedLedger;
import java.time.Duration;
import java.util.List;

/**
 * The sink {@code jdbc}: a {@link JdbcMirror} over a pool of its own, whose ledger has the name of
 * {@link PluginContext#subscription} unless configured otherwise.
 */
@AutoService(ConsumerProvider.class)
public final class JdbcSinkProvider implements ConsumerProvider {
    private static final ConfigKey<String> SCHEMA = ConfigKey.of(
                    "schema",
                    new ConfigType<>("identifier, 1 to 63 bytes", TableName::requireSchema, schema -> schema),
                    "The schema of the mirrored tables. Tables of a named schema in Spanner are in the schema of that"
                            + " name.")
            .withDefault("public");
    private static final ConfigKey<Boolean> CREATE_TABLES = ConfigKey.of(
                    "create-tables", ConfigType.flag(), "Whether to create missing tables, and to add missing columns.")
            .withDefault(false);
    private static final ConfigKey<String> LEDGER = ConfigKey.of(
                    "ledger",
                    ConfigType.text(),
                    "The name of the ledger of applied changes. A new name begins an empty ledger, for empty tables.")
            .withDefaultMeaning("the subscription");
    private static final ConfigKey<String> LEDGER_SCHEMA = ConnectionKeys.schema(
            "ledger-schema",
            "The schema of the ledger's tables, which several ledgers can share.",
            AppliedLedger.DEFAULT_SCHEMA);
    private static final ConfigKey<Boolean> MIGRATE = ConnectionKeys.migrate(
            "Whether to create the ledger's schema and its tables, and to migrate them, where needed.");
    private static final ConfigKey<Integer> CONNECTIONS = ConfigKey.of(
                    "connections",
                    ConfigType.integer(1, 1_000),
                    "The number of batches that are written at the same time, each on a connection of its own; further batches wait.")
            .withDefault(8);
    private static final ConfigKey<Duration> STATEMENT_TIMEOUT = ConnectionKeys.statementTimeout(
            "Time limit of a statement, and of a batch's wait for a connection.", JdbcMirror.DEFAULT_STATEMENT_TIMEOUT);

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return ConnectionKeys.with(
                SCHEMA, CREATE_TABLES, LEDGER, LEDGER_SCHEMA, MIGRATE, CONNECTIONS, STATEMENT_TIMEOUT);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        HikariDataSource pool = ConnectionKeys.open(config, context);
        JdbcMirror mirror = JdbcMirror.builder(pool, config.find(LEDGER).orElseGet(context::subscription))
                .schema(config.get(SCHEMA))
                .createTables(config.get(CREATE_TABLES))
                .ledgerSchema(config.get(LEDGER_SCHEMA))
                .migrate(config.get(MIGRATE))
                .statementTimeout(config.get(STATEMENT_TIMEOUT))
                .build();
        pool.setMaximumPoolSize(config.get(CONNECTIONS)); // after the migration, which takes three
        pool.setConnectionTimeout(config.get(STATEMENT_TIMEOUT).toMillis());
        return mirror;
    }
}
