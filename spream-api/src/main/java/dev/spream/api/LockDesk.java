package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.core.SpreamException;
import dev.spream.core.lock.BucketProvisioning;
import dev.spream.core.lock.HierarchicalLocks;
import dev.spream.core.lock.LockObserver;
import dev.spream.core.lock.LockStore;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The hierarchical locks that a configuration names with {@code locks}, for a program that locks and for whoever operates
 * them. A subscription need not be configured; what is said of one is left alone.
 *
 * <pre>{@code
 * try (LockDesk desk = LockDesk.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     HierarchicalLocks<Connection> locks = desk.locks(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Nothing is connected to before it is asked for. Confined to one thread, which closes it; the locks may be used by many.
 */
public final class LockDesk implements AutoCloseable {
    private static final String NAME = "spream";

    private final Optional<PluginRegistry> closedAtEnd;
    private final Judgement judgement;
    private final Plugin<LockStore<?>> plugin;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private @Nullable HierarchicalLocks<?> locks;
    private @Nullable LockStore<?> store;
    private @Nullable BucketProvisioning provisioning;
    private @Nullable LockObserver observer;

    private LockDesk(Optional<PluginRegistry> closedAtEnd, Judgement judgement, Plugin<LockStore<?>> plugin) {
        this.closedAtEnd = closedAtEnd;
        this.judgement = judgement;
        this.plugin = plugin;
    }

    /**
     * Judges the configuration of the locks.
     *
     * @throws ConfigException if it cannot be used, or names no locks
     */
    public static LockDesk open(SpreamConfig config) {
        PluginRegistry plugins = Judgement.discover(requireNonNull(config, "config"));
        try {
            return open(config, plugins, Optional.of(plugins));
        } catch (Throwable t) {
            plugins.close();
            throw t;
        }
    }

    /** The same with these plug-ins to choose from; the caller closes them, after this. */
    public static LockDesk open(SpreamConfig config, PluginRegistry plugins) {
        return open(config, plugins, Optional.empty());
    }

    @SuppressWarnings("unchecked") // a plug-in of this kind makes stores of locks
    private static LockDesk open(SpreamConfig config, PluginRegistry plugins, Optional<PluginRegistry> closedAtEnd) {
        Judgement judgement = Judgement.ofDesk(config, plugins, Set.of(PluginKind.LOCKS));
        Plugin<?> plugin = judgement.usable(PluginKind.LOCKS);
        return new LockDesk(closedAtEnd, judgement, (Plugin<LockStore<?>>) plugin);
    }

    /**
     * The locks, opened when first asked for.
     *
     * @throws SpreamException if they could not be opened
     */
    public HierarchicalLocks<?> locks() {
        HierarchicalLocks<?> open = locks;
        if (open == null) {
            open = HierarchicalLocks.over(store());
            opened.push(open);
            locks = open;
        }
        return open;
    }

    /**
     * The same for transactions of that type, such as {@code java.sql.Connection}.
     *
     * @throws IllegalArgumentException if the locks are taken in transactions of another type
     * @throws SpreamException if they could not be opened
     */
    @SuppressWarnings("unchecked") // the store says of which type its transactions are
    public <T> HierarchicalLocks<T> locks(Class<T> transactionType) {
        Class<?> actual = store().transactionType();
        if (actual != transactionType) {
            throw new IllegalArgumentException("locks %s are taken in transactions of type %s, not %s"
                    .formatted(plugin.name(), actual.getName(), transactionType.getName()));
        }
        return (HierarchicalLocks<T>) locks();
    }

    private LockStore<?> store() {
        LockStore<?> open = store;
        if (open == null) {
            OpenPlugin<LockStore<?>> made = plugin.open(judgement.of(plugin), InstantSource.system(), NAME);
            opened.push(made);
            open = made.product();
            store = open;
        }
        return open;
    }

    /**
     * What makes and judges the places that locks are taken by, opened when first asked for.
     *
     * @throws SpreamException if it could not be opened, or these locks need none
     */
    public BucketProvisioning provisioning() {
        BucketProvisioning open = provisioning;
        if (open == null) {
            OpenPlugin<BucketProvisioning> made = plugin.openProvisioning(
                            judgement.of(plugin), InstantSource.system(), NAME)
                    .orElseThrow(() -> new SpreamException("%s has nothing to provision".formatted(plugin), null));
            opened.push(made);
            open = made.product();
            provisioning = open;
        }
        return open;
    }

    /**
     * What looks at the locks, opened when first asked for.
     *
     * @throws SpreamException if it could not be opened, or nothing can be seen of these locks
     */
    public LockObserver observer() {
        LockObserver open = observer;
        if (open == null) {
            OpenPlugin<LockObserver> made = plugin.openObserver(judgement.of(plugin), InstantSource.system(), NAME)
                    .orElseThrow(() -> new SpreamException("%s shows nothing of its locks".formatted(plugin), null));
            opened.push(made);
            open = made.product();
            observer = open;
        }
        return open;
    }

    /**
     * Closes what was opened. Closing again is harmless.
     *
     * @throws SpreamException if some of it could not be closed
     */
    @Override
    public void close() {
        try {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SpreamException("%s could not be closed (%s)".formatted(plugin, e), e);
        } finally {
            closedAtEnd.ifPresent(PluginRegistry::close);
        }
    }
}
