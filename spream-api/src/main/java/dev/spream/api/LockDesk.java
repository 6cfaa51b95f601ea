package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.SpreamException;
import dev.spream.lock.BucketProvisioning;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockObserver;
import dev.spream.lock.LockStore;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.Supplier;
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

    private final DeskParts parts;
    private final Plugin<?> plugin;
    private final Supplier<LockStore<?>> store;
    private final Supplier<BucketProvisioning> provisioning;
    private final Supplier<LockObserver> observer;
    private @Nullable HierarchicalLocks<?> locks;

    @SuppressWarnings("unchecked") // a plug-in of this kind makes stores of locks
    private LockDesk(DeskParts parts) {
        Judgement judgement = parts.judge(Set.of(PluginKind.LOCKS));
        this.parts = parts;
        this.plugin = judgement.usable(PluginKind.LOCKS);
        PluginConfig config = judgement.of(plugin);
        Plugin<LockStore<?>> stores = (Plugin<LockStore<?>>) plugin;
        this.store = parts.once(() -> stores.open(config, InstantSource.system(), NAME));
        this.provisioning = parts.once(() -> plugin.openProvisioning(config, InstantSource.system(), NAME)
                .orElseThrow(() -> new SpreamException("%s has nothing to provision".formatted(plugin), null)));
        this.observer = parts.once(() -> plugin.openObserver(config, InstantSource.system(), NAME)
                .orElseThrow(() -> new SpreamException("%s shows nothing of its locks".formatted(plugin), null)));
    }

    /**
     * Judges the configuration of the locks.
     *
     * @throws ConfigException if it cannot be used, or names no locks
     */
    public static LockDesk open(SpreamConfig config) {
        return DeskParts.discovering(config, LockDesk::new);
    }

    /** The same with these plug-ins to choose from; the caller closes them, after this. */
    public static LockDesk open(SpreamConfig config, PluginRegistry plugins) {
        return new LockDesk(DeskParts.of(config, plugins));
    }

    /**
     * The locks, opened when first asked for.
     *
     * @throws SpreamException if they could not be opened
     */
    public HierarchicalLocks<?> locks() {
        HierarchicalLocks<?> open = locks;
        if (open == null) {
            open = parts.closing(HierarchicalLocks.over(store.get()));
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
        Class<?> actual = store.get().transactionType();
        if (actual != transactionType) {
            throw new IllegalArgumentException("locks %s are taken in transactions of type %s, not %s"
                    .formatted(plugin.name(), actual.getName(), transactionType.getName()));
        }
        return (HierarchicalLocks<T>) locks();
    }

    /**
     * What makes and judges the places that locks are taken by, opened when first asked for.
     *
     * @throws SpreamException if it could not be opened, or these locks need none
     */
    public BucketProvisioning provisioning() {
        return provisioning.get();
    }

    /**
     * What looks at the locks, opened when first asked for.
     *
     * @throws SpreamException if it could not be opened, or nothing can be seen of these locks
     */
    public LockObserver observer() {
        return observer.get();
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
