package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.LockStoreProvider;
import dev.spream.core.SpreamException;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockStore;
import dev.spream.lock.inspection.LockObserver;
import dev.spream.lock.provisioning.BucketProvisioning;

/**
 * The hierarchical locks that a configuration names with {@code locks}, for a program that locks or operates
 * them. A subscription need not be configured; what is said of one is left alone.
 *
 * <pre>{@code
 * try (ConfiguredLocks configured = ConfiguredLocks.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     HierarchicalLocks<Connection> locks = configured.locks(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Nothing is connected to before it is asked for. Confined to one thread, which closes it; the locks may be used by many.
 */
public final class ConfiguredLocks extends ConfiguredPort<LockStore<?>> {
    private ConfiguredLocks(ConfiguredPlugins plugins) {
        super(plugins, LockStoreProvider.PORT);
    }

    /**
     * Judges the configuration of the locks.
     *
     * @throws ConfigException if it cannot be used, or names no locks
     */
    public static ConfiguredLocks open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredLocks::new);
    }

    /** The same with these plug-ins to choose from; the caller closes them, after this. */
    public static ConfiguredLocks open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredLocks::new);
    }

    /**
     * The locks, opened when first asked for.
     *
     * @throws SpreamException if they could not be opened
     */
    public HierarchicalLocks<?> locks() {
        return once(HierarchicalLocks.class, () -> plugins.closing(HierarchicalLocks.over(store())));
    }

    private LockStore<?> store() {
        return once(LockStore.class, this::open);
    }

    /**
     * The same for transactions of that type, such as {@code java.sql.Connection}.
     *
     * @throws IllegalArgumentException if the locks are taken in transactions of another type
     * @throws SpreamException if they could not be opened
     */
    @SuppressWarnings("unchecked") // the store says of which type its transactions are
    public <T> HierarchicalLocks<T> locks(Class<T> transactionType) {
        requireTransactions("are taken", store().transactionType(), transactionType);
        return (HierarchicalLocks<T>) locks();
    }

    /**
     * Returns the provisioning of the tables and buckets of locks, opened on the first call.
     *
     * @throws SpreamException if it could not be opened, or these locks need none
     */
    public BucketProvisioning provisioning() {
        return besideOnce(
                LockStoreProvider.class,
                LockStoreProvider::provisioning,
                BucketProvisioning.class,
                "has nothing to provision");
    }

    /**
     * Returns the inspection of locks, opened on the first call.
     *
     * @throws SpreamException if it could not be opened, or nothing can be seen of these locks
     */
    public LockObserver observer() {
        return besideOnce(
                LockStoreProvider.class, LockStoreProvider::observer, LockObserver.class, "shows nothing of its locks");
    }
}
