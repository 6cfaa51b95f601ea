package dev.spream.api.spi;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxStore;
import java.util.Map;

/**
 * Makes an {@link OutboxStore}, as {@code outbox} in the configuration names it, and from the same configuration what others
 * than its workers use of the same outbox. Whoever called closes what can be closed; what it stands on and does not close
 * itself is for {@link PluginContext#onClose}, as with {@link #create}.
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
