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
 * The hierarchical locks named by the configuration key {@code locks}, for a program that takes or administers locks.
 * No subscription has to be configured; its keys are not checked.
 *
 * <pre>{@code
 * try (ConfiguredLocks configured = ConfiguredLocks.open(SpreamConfig.load(Path.of("spream.properties")))) {
 *     HierarchicalLocks<Connection> locks = configured.locks(Connection.class);
 *     ...
 * }
 * }</pre>
 *
 * <p>Connections are opened on first use. Confined to one thread, which closes it; the locks may be used by many.
 */
public final class ConfiguredLocks extends ConfiguredPort<LockStore<?>> {
    private ConfiguredLocks(ConfiguredPlugins plugins) {
        super(plugins, LockStoreProvider.PORT);
    }

    /**
     * Validates the configuration of the locks.
     *
     * @throws ConfigException if it is invalid, or {@code locks} is not configured
     */
    public static ConfiguredLocks open(SpreamConfig config) {
        return ConfiguredPlugins.discovering(config, ConfiguredLocks::new);
    }

    /** Opens the locks with the given plug-ins. The caller closes the registry, after this object. */
    public static ConfiguredLocks open(SpreamConfig config, PluginRegistry plugins) {
        return ConfiguredPlugins.of(config, plugins, ConfiguredLocks::new);
    }

    /**
     * Returns the locks, opened on the first call.
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
     * Returns the locks for transactions of the given type, such as {@code java.sql.Connection}.
     *
     * @throws IllegalArgumentException if the locks are taken in transactions of another type
     * @throws SpreamException if they could not be opened
     */
    @SuppressWarnings("unchecked") // checked by requireTransactions
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
                "needs no provisioning");
    }

    /**
     * Returns the inspection of locks, opened on the first call.
     *
     * @throws SpreamException if it could not be opened, or these locks do not support inspection
     */
    public LockObserver observer() {
        return besideOnce(
                LockStoreProvider.class,
                LockStoreProvider::observer,
                LockObserver.class,
                "does not support inspection");
    }
}
