package dev.spream.api.spi;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStore;
import java.util.Map;

/**
 * Creates the {@link OutboxStore} named by the configuration key {@code outbox}, and from the same configuration the
 * other parts of that outbox, which its workers do not use. The caller closes closeable parts; resources that these do
 * not close themselves are registered with {@link PluginContext#onClose}, as with {@link #create}.
 */
public interface OutboxStoreProvider extends PluginProvider<OutboxStore> {
    /** The port {@code outbox}. */
    Port<OutboxStore> PORT = Port.besideSubscriptions(
            "outbox",
            "Outbox store",
            OutboxStore.class,
            OutboxStoreProvider.class,
            "the outbox store, such as jdbc",
            Map.of("jdbc", "spream-storage-jdbc", "spanner", "spream-storage-spanner"));

    /** Creates the outbox for enqueuing. */
    Outbox<?> outbox(PluginConfig config, PluginContext context) throws Exception;

    /** Creates the idempotency ledger of the outbox. */
    IdempotencyLedger<?> ledger(PluginConfig config, PluginContext context) throws Exception;

    /** Creates the operations of an operator on the outbox. */
    OutboxOperations operations(PluginConfig config, PluginContext context) throws Exception;
}
