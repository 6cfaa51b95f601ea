package dev.spream.storage.spanner.outbox;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.connection.SpannerConnectionKeys;
import java.time.Duration;
import java.util.List;

/** The outbox {@code spanner}: a store, an enqueuer, a ledger and operations, each on a connection of its own. */
@AutoService(OutboxStoreProvider.class)
public final class SpannerOutboxStoreProvider implements OutboxStoreProvider {
    private static final ConfigKey<DatabaseName> DATABASE = ConfigKey.of(
                    "database",
                    new ConfigType<>(
                            "projects/<project>/instances/<instance>/databases/<database>",
                            DatabaseName::parse,
                            DatabaseName::toString),
                    "Database of the tables.")
            .required();
    private static final ConfigKey<String> TABLE = ConfigKey.of(
                    "table",
                    new ConfigType<>("name of a table", OutboxSchema::requireValid, name -> name),
                    "Table of the entries; the names of the other tables begin with it.")
            .withDefault("Outbox");
    private static final ConfigKey<Boolean> CREATE_TABLE = ConfigKey.of(
                    "create-table", ConfigType.flag(), "Whether missing tables and indexes are created.")
            .withDefault(false);
    private static final ConfigKey<Duration> CALL_TIMEOUT = ConfigKey.of(
                    "call-timeout",
                    ConfigType.duration(SpannerOutboxDatabase.MIN_TIMEOUT, SpannerOutboxDatabase.MAX_TIMEOUT),
                    "Time limit of a call. Should be a fraction of the lease.")
            .withDefault(SpannerOutboxDatabase.TIMEOUT);
    private static final SpannerConnectionKeys CONNECTION = SpannerConnectionKeys.OUTBOX;

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
    public OutboxStore create(PluginConfig config, PluginContext context) {
        return new SpannerOutboxStore(open(config, context));
    }

    @Override
    public Outbox<?> outbox(PluginConfig config, PluginContext context) {
        return SpannerOutbox.open(open(config, context));
    }

    @Override
    public IdempotencyLedger<?> ledger(PluginConfig config, PluginContext context) {
        return new SpannerIdempotencyLedger(open(config, context));
    }

    @Override
    public OutboxOperations operations(PluginConfig config, PluginContext context) {
        return new SpannerOutboxOperations(open(config, context));
    }

    private static SpannerOutboxDatabase open(PluginConfig config, PluginContext context) {
        SpannerConnection connection = SpannerConnection.builder(config.get(DATABASE))
                .maxOpenQueries(1)
                .configured(config, CONNECTION)
                .open();
        context.onClose(connection);
        if (config.get(CREATE_TABLE)) {
            SpannerOutboxTables.create(connection, config.get(TABLE));
        }
        return SpannerOutboxDatabase.open(connection, config.get(TABLE), config.get(CALL_TIMEOUT));
    }
}
