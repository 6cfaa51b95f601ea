package dev.spream.api.spi;

import dev.spream.lock.LockStore;
import dev.spream.lock.inspection.LockObserver;
import dev.spream.lock.provisioning.BucketProvisioning;
import java.util.Map;
import java.util.Optional;

/**
 * Makes a {@link LockStore}, as {@code locks} in the configuration names it. What operators need beside it is made from the
 * same configuration, and without a store, which would refuse to open what is not provisioned.
 */
public interface LockStoreProvider extends PluginProvider<LockStore<?>> {
    /** The port {@code locks}. */
    Port<LockStore<?>> PORT = Port.besideSubscriptions(
            "locks",
            "Where hierarchical locks are taken",
            LockStore.class,
            LockStoreProvider.class,
            "what takes them, such as jdbc",
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
     * Makes what looks at the locks, to explain why something stands still. It is closed like what {@link
     * #provisioning} makes.
     *
     * @return empty if nothing can be seen of these locks
     */
    default Optional<LockObserver> observer(PluginConfig config, PluginContext context) throws Exception {
        return Optional.empty();
    }
}
