package dev.spream.storage.jdbc.outbox;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStore;
import java.util.List;

/**
 * The outbox {@code jdbc}: a {@link JdbcOutboxStore}, an enqueuer, a ledger and operations, each with a connection pool
 * of its own.
 */
@AutoService(OutboxStoreProvider.class)
public final class JdbcOutboxStoreProvider implements OutboxStoreProvider {
    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return JdbcOutboxKeys.ALL;
    }

    @Override
    public OutboxStore create(PluginConfig config, PluginContext context) {
        return JdbcOutboxKeys.build(JdbcOutboxStore.builder(JdbcOutboxKeys.open(config, context)), config);
    }

    @Override
    public Outbox<?> outbox(PluginConfig config, PluginContext context) {
        return JdbcOutboxKeys.build(JdbcOutbox.builder(JdbcOutboxKeys.open(config, context)), config);
    }

    @Override
    public IdempotencyLedger<?> ledger(PluginConfig config, PluginContext context) {
        return JdbcOutboxKeys.build(JdbcIdempotencyLedger.builder(JdbcOutboxKeys.open(config, context)), config);
    }

    @Override
    public OutboxOperations operations(PluginConfig config, PluginContext context) {
        return JdbcOutboxKeys.build(JdbcOutboxOperations.builder(JdbcOutboxKeys.open(config, context)), config);
    }
}
