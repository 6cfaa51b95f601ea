package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.SpreamException;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxListener;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.OutboxWorker;
import dev.spream.outbox.OutboxWorkerOptions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The outbox that a configuration names with {@code outbox}, for a program that enqueues, for its worker, and for whoever
 * operates it. A subscription need not be configured; what is said of one is left alone.
 *
 * <pre>{@code
 * try (OutboxDesk desk = OutboxDesk.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     Outbox<Connection> outbox = desk.outbox(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Nothing is connected to before it is asked for. Confined to one thread, which closes it; what it hands out may be used by
 * many.
 */
public final class OutboxDesk implements AutoCloseable {
    private static final String NAME = "spream";

    private final DeskParts parts;
    private final Judgement judgement;
    private final Plugin<?> plugin;
    private final Supplier<Outbox<?>> outbox;
    private final Supplier<IdempotencyLedger<?>> ledger;
    private final Supplier<OutboxOperations> operations;

    private OutboxDesk(DeskParts parts) {
        this.parts = parts;
        this.judgement = parts.judge(Set.of(PluginKind.OUTBOX));
        this.plugin = judgement.usable(PluginKind.OUTBOX);
        PluginConfig config = judgement.of(plugin);
        this.outbox = parts.once(() -> plugin.openOutbox(config, InstantSource.system(), NAME));
        this.ledger = parts.once(() -> plugin.openLedger(config, InstantSource.system(), NAME));
        this.operations = parts.once(() -> plugin.openOperations(config, InstantSource.system(), NAME));
    }

    /**
     * Judges the configuration of the outbox. That of its sender is judged when a worker is asked for: who only enqueues or
     * operates need not have the sender's secrets.
     *
     * @throws ConfigException if it cannot be used, or names no outbox
     */
    public static OutboxDesk open(SpreamConfig config) {
        return DeskParts.discovering(config, OutboxDesk::new);
    }

    /** The same with these plug-ins to choose from; the caller closes them, after this. */
    public static OutboxDesk open(SpreamConfig config, PluginRegistry plugins) {
        return new OutboxDesk(DeskParts.of(config, plugins));
    }

    /**
     * What enqueues, opened when first asked for.
     *
     * @param transactionType such as {@code java.sql.Connection}
     * @throws IllegalArgumentException if transactions are of another type
     * @throws SpreamException if it could not be opened
     */
    @SuppressWarnings("unchecked") // the outbox says of which type its transactions are
    public <T> Outbox<T> outbox(Class<T> transactionType) {
        Outbox<?> open = outbox.get();
        requireType(open.transactionType(), transactionType);
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
        requireType(open.transactionType(), transactionType);
        return (IdempotencyLedger<T>) open;
    }

    /**
     * The same for whoever only asks it, whatever its transactions are.
     *
     * @throws SpreamException if it could not be opened
     */
    public IdempotencyLedger<?> ledger() {
        return ledger.get();
    }

    private void requireType(Class<?> actual, Class<?> asked) {
        if (actual != asked) {
            throw new IllegalArgumentException("outbox %s works in transactions of type %s, not %s"
                    .formatted(plugin.name(), actual.getName(), asked.getName()));
        }
    }

    /**
     * What looks at the outbox and changes it by hand, opened when first asked for.
     *
     * @throws SpreamException if it could not be opened
     */
    public OutboxOperations operations() {
        return operations.get();
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
        Judgement whole = parts.judge(EnumSet.of(PluginKind.OUTBOX, PluginKind.SENDER));
        requireEnabled(whole);
        Plugin<?> sends = whole.usable(PluginKind.SENDER);
        OutboxWorkerOptions options = options(listeners);
        OutboxStore store = (OutboxStore) parts.opened(plugin.open(judgement.of(plugin), InstantSource.system(), NAME));
        OutboxSender sender = (OutboxSender) parts.opened(sends.open(whole.of(sends), InstantSource.system(), NAME));
        return parts.closing(OutboxWorker.builder(store, around.apply(sender))
                .options(options)
                .build());
    }

    /** How long what a worker has started may take to finish when it is told to stop, as {@code shutdown-timeout} says. */
    public Duration shutdownTimeout() {
        return judgement.own().get(SubscriptionKeys.SHUTDOWN_TIMEOUT);
    }

    private void requireEnabled(Judgement whole) {
        if (judgement.outbox().get(OutboxKeys.ENABLED)) {
            return;
        }
        List<String> problems = new ArrayList<>(whole.problems());
        problems.add(
                "%s: a worker has to be allowed, so that none runs by accident; set outbox.enabled=true, or the variable"
                                .formatted(judgement.resolved().describe("outbox.enabled"))
                        + " OUTBOX_ENABLED=true");
        throw new ConfigException(problems);
    }

    private OutboxWorkerOptions options(List<OutboxListener> listeners) {
        OutboxWorkerOptions.Builder options = OutboxKeys.options(judgement.outbox());
        listeners.forEach(options::listener);
        try {
            return options.name(judgement.workerName()).build();
        } catch (IllegalArgumentException e) {
            ConfigException refusal = new ConfigException(List.of("worker: " + e.getMessage()));
            refusal.initCause(e);
            throw refusal;
        }
    }

    /**
     * Closes what was opened. Closing again is harmless.
     *
     * @throws SpreamException if some of it could not be closed
     */
    @Override
    public void close() {
        parts.close();
    }
}
