package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.Port;
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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The outbox named by the configuration key {@code outbox}, for a program that enqueues, runs a worker or operates the
 * outbox. No subscription has to be configured; its keys are not checked.
 *
 * <pre>{@code
 * try (ConfiguredOutbox configured = ConfiguredOutbox.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     Outbox<Connection> outbox = configured.outbox(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Connections are opened on first use. Confined to one thread, which closes it; the returned objects are safe for
 * many.
 */
public final class ConfiguredOutbox extends ConfiguredPort<OutboxStore> {
    private ConfiguredOutbox(ConfiguredPlugins plugins) {
        super(plugins, OutboxStoreProvider.PORT);
    }

    /**
     * Validates the configuration of the outbox. The sender's configuration is validated when a worker is created: a
     * program that only enqueues or operates does not need the sender's secrets.
     *
     * @throws ConfigException if it is invalid, or {@code outbox} is not configured
     */
    public static ConfiguredOutbox open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredOutbox::new);
    }

    /** Opens the outbox with the given plug-ins. The caller closes the registry, after this object. */
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
    @SuppressWarnings("unchecked") // checked by requireTransactions
    public <T> Outbox<T> outbox(Class<T> transactionType) {
        Outbox<?> open = beside(OutboxStoreProvider::outbox, Outbox.class);
        requireTransactions("works", open.transactionType(), transactionType);
        return (Outbox<T>) open;
    }

    /**
     * Returns the idempotency ledger, opened on the first call.
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if it could not be opened
     */
    @SuppressWarnings("unchecked") // checked by requireTransactions
    public <T> IdempotencyLedger<T> ledger(Class<T> transactionType) {
        IdempotencyLedger<?> open = ledger();
        requireTransactions("works", open.transactionType(), transactionType);
        return (IdempotencyLedger<T>) open;
    }

    /**
     * Returns the idempotency ledger for queries, whatever its transaction type.
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

    /** Returns the destinations that have a sender of their own, {@code mail} for the key {@code senders.mail}. */
    public Set<String> destinations() {
        return plugins.config().namesIn(OutboxKeys.SENDERS);
    }

    /** Creates a worker as configured; see {@link #worker(List, UnaryOperator)}. */
    public OutboxWorker worker() {
        return worker(List.of(), UnaryOperator.identity());
    }

    /**
     * Creates a worker of the outbox with the configured senders and options. Each call creates another one. Closing
     * this object closes the workers.
     *
     * @param listeners listeners of the worker
     * @param around decorates the senders, such as with spans
     * @throws ConfigException if {@code outbox.enabled} is not true, or a sender or an option is invalid
     * @throws SpreamException if the outbox or a sender could not be opened
     */
    public OutboxWorker worker(List<OutboxListener> listeners, UnaryOperator<OutboxSender> around) {
        Map<String, ConfigValidation> senders = senders();
        requireUsable(senders);
        OutboxWorkerOptions.Builder options = OutboxKeys.options(validation.outbox());
        listeners.forEach(options::listener);
        OutboxWorkerOptions named = asWorker(name -> options.name(name).build());
        OutboxStore store = open();
        ConfigValidation byDefault = senders.remove("");
        OutboxWorker.Builder worker = byDefault == null
                ? OutboxWorker.builder(store)
                : OutboxWorker.builder(store, around.apply(sender(byDefault)));
        senders.forEach((destination, whole) -> worker.sender(
                destination,
                around.apply(sender(whole)),
                OutboxKeys.options(whole.outbox()).build().sender()));
        return plugins.closing(worker.options(named).build());
    }

    /** Returns the validated configuration of each sender, by destination; under the empty one that of the default sender. */
    private Map<String, ConfigValidation> senders() {
        Set<Port<?>> needed = Set.of(OutboxStoreProvider.PORT, OutboxSenderProvider.PORT);
        Map<String, ConfigValidation> senders = new TreeMap<>();
        Set<String> destinations = destinations();
        if (destinations.isEmpty() || plugins.config().mayConfigure(OutboxSenderProvider.PORT.key())) {
            senders.put("", plugins.validate(needed));
        }
        destinations.forEach(destination ->
                senders.put(destination, plugins.validate(OutboxKeys.ofSender(plugins.config(), destination), needed)));
        return senders;
    }

    private OutboxSender sender(ConfigValidation whole) {
        return open(whole, whole.usable(OutboxSenderProvider.PORT));
    }

    /** Returns the time within which the worker ends at shutdown, key {@code shutdown-timeout}. */
    public Duration shutdownTimeout() {
        return validation.own().get(SubscriptionKeys.SHUTDOWN_TIMEOUT);
    }

    private void requireUsable(Map<String, ConfigValidation> senders) {
        List<String> problems = new ArrayList<>();
        senders.forEach((destination, whole) -> whole.problems().stream()
                .map(problem -> destination.isEmpty()
                        ? problem
                        : "%s.%s: %s".formatted(OutboxKeys.SENDERS, destination, problem))
                .forEach(problems::add));
        if (!validation.outbox().get(OutboxKeys.ENABLED)) {
            problems.add(disabled());
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }

    private String disabled() {
        return "%s: workers are disabled by default; to run one here, set outbox.enabled=true or the variable"
                        .formatted(validation.resolved().describe("outbox.enabled"))
                + " OUTBOX_ENABLED=true";
    }
}
