package dev.spream.api.spi;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStore;
import java.util.Map;

/**
 * Creates the {@link OutboxStore} named by the configuration key {@code outbox}, and from the same configuration the other
 * parts of that outbox, which its workers do not use. The caller closes closeable parts; resources that these do not close
 * themselves are registered with {@link PluginContext#onClose}, as with {@link #create}.
 */
public interface OutboxStoreProvider extends PluginProvider<OutboxStore> {
    /** The port {@code outbox}. */
    Port<OutboxStore> PORT = Port.besideSubscriptions(
            "outbox",
            "Where the entries of an outbox are",
            OutboxStore.class,
            OutboxStoreProvider.class,
            "where its entries are, such as jdbc",
            Map.of("jdbc", "spream-storage-jdbc"));

    /** Makes what a program enqueues with. */
    Outbox<?> outbox(PluginConfig config, PluginContext context) throws Exception;

    /** Makes the ledger of the outbox's idempotency keys. */
    IdempotencyLedger<?> ledger(PluginConfig config, PluginContext context) throws Exception;

    /** Makes what operators look at the outbox with, and change it. */
    OutboxOperations operations(PluginConfig config, PluginContext context) throws Exception;
}
