package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.core.SpreamException;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.worker.OutboxListener;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The outbox that a configuration names with {@code outbox}, for a program that enqueues, works on it or
 * operates it. A subscription need not be configured; what is said of one is left alone.
 *
 * <pre>{@code
 * try (ConfiguredOutbox configured = ConfiguredOutbox.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     Outbox<Connection> outbox = configured.outbox(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Nothing is connected to before it is asked for. Confined to one thread, which closes it; what it hands out may be used by
 * many.
 */
public final class ConfiguredOutbox extends ConfiguredPort<OutboxStore> {
    private ConfiguredOutbox(ConfiguredPlugins plugins) {
        super(plugins, OutboxStoreProvider.PORT);
    }

    /**
     * Judges the configuration of the outbox. That of its sender is judged when a worker is asked for: a program that only
     * enqueues or operates need not have the sender's secrets.
     *
     * @throws ConfigException if it cannot be used, or names no outbox
     */
    public static ConfiguredOutbox open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredOutbox::new);
    }

    /** The same with these plug-ins to choose from; the caller closes them, after this. */
    public static ConfiguredOutbox open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredOutbox::new);
    }

    /**
     * Returns the outbox for enqueuing, opened on the first call.
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if it could not be opened
     */
    @SuppressWarnings("unchecked") // the outbox says of which type its transactions are
    public <T> Outbox<T> outbox(Class<T> transactionType) {
        Outbox<?> open = beside(OutboxStoreProvider::outbox, Outbox.class);
        requireTransactions("works", open.transactionType(), transactionType);
        return (Outbox<T>) open;
    }

    /**
     * The ledger of idempotency keys, opened when first asked for.
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if it could not be opened
     */
    @SuppressWarnings("unchecked") // the ledger says of which type its transactions are
    public <T> IdempotencyLedger<T> ledger(Class<T> transactionType) {
        IdempotencyLedger<?> open = ledger();
        requireTransactions("works", open.transactionType(), transactionType);
        return (IdempotencyLedger<T>) open;
    }

    /**
     * The same to ask it alone, whatever its transactions are.
     *
     * @throws SpreamException if it could not be opened
     */
    public IdempotencyLedger<?> ledger() {
        return beside(OutboxStoreProvider::ledger, IdempotencyLedger.class);
    }

    private <R> R beside(Beside<OutboxStoreProvider, R> making, Class<? super R> made) {
        return besideOnce(OutboxStoreProvider.class, making, made);
    }

    /**
     * Returns the operations on the outbox, opened on the first call.
     *
     * @throws SpreamException if it could not be opened
     */
    public OutboxOperations operations() {
        return beside(OutboxStoreProvider::operations, OutboxOperations.class);
    }

    /** A worker as configured; see {@link #worker(List, UnaryOperator)}. */
    public OutboxWorker worker() {
        return worker(List.of(), UnaryOperator.identity());
    }

    /**
     * A worker of the outbox with the configured sender and options, which has not run yet; closing this closes it. Each call
     * makes another one.
     *
     * @param listeners are told what it does
     * @param around puts something around the sender, such as spans
     * @throws ConfigException if {@code outbox.enabled} is not true, or the sender or an option cannot be used
     * @throws SpreamException if the outbox or the sender could not be opened
     */
    public OutboxWorker worker(List<OutboxListener> listeners, UnaryOperator<OutboxSender> around) {
        ConfigValidation whole = plugins.validate(Set.of(OutboxStoreProvider.PORT, OutboxSenderProvider.PORT));
        requireEnabled(whole);
        Plugin<OutboxSender> sends = whole.usable(OutboxSenderProvider.PORT);
        OutboxWorkerOptions.Builder options = OutboxKeys.options(validation.outbox());
        listeners.forEach(options::listener);
        OutboxWorkerOptions named = asWorker(name -> options.name(name).build());
        OutboxStore store = open();
        OutboxSender sender = open(whole, sends);
        return plugins.closing(
                OutboxWorker.builder(store, around.apply(sender)).options(named).build());
    }

    /** Returns the time that started sends have to finish at shutdown, key {@code shutdown-timeout}. */
    public Duration shutdownTimeout() {
        return validation.own().get(SubscriptionKeys.SHUTDOWN_TIMEOUT);
    }

    private void requireEnabled(ConfigValidation whole) {
        if (validation.outbox().get(OutboxKeys.ENABLED)) {
            return;
        }
        List<String> problems = new ArrayList<>(whole.problems());
        problems.add(
                "%s: a worker has to be allowed, so that none runs by accident; set outbox.enabled=true, or the variable"
                                .formatted(validation.resolved().describe("outbox.enabled"))
                        + " OUTBOX_ENABLED=true");
        throw new ConfigException(problems);
    }
}
