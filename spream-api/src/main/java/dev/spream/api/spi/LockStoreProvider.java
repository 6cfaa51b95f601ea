package dev.spream.api.spi;

import dev.spream.lock.LockStore;
import dev.spream.lock.inspection.LockObserver;
import dev.spream.lock.provisioning.BucketProvisioning;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the {@link LockStore} named by the configuration key {@code locks}, and from the same configuration the
 * components for operators. These do not need a store, which could not be opened before it is provisioned.
 */
public interface LockStoreProvider extends PluginProvider<LockStore<?>> {
    /** The port {@code locks}. */
    Port<LockStore<?>> PORT = Port.besideSubscriptions(
            "locks",
            "Lock store of hierarchical locks",
            LockStore.class,
            LockStoreProvider.class,
            "the lock store, such as jdbc",
            Map.of("jdbc", "spream-storage-jdbc"));

    /**
     * Creates the provisioner of the store's buckets. The caller closes it; resources that it does not close itself are
     * registered with {@link PluginContext#onClose}, as with {@link #create}.
     *
     * @return empty if there is nothing to provision
     */
    default Optional<BucketProvisioning> provisioning(PluginConfig config, PluginContext context) throws Exception {
        return Optional.empty();
    }

    /**
     * Creates the observer of the locks, which explains waits. It is closed like the result of {@link #provisioning}.
     *
     * @return empty if these locks do not support inspection
     */
    default Optional<LockObserver> observer(PluginConfig config, PluginContext context) throws Exception {
        return Optional.empty();
    }
}
