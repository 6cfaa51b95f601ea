package dev.spream.api.spi;

import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionStore;
import java.util.Map;

/**
 * Creates the {@link ProjectionStore} named by the configuration key {@code projections}, and from the same
 * configuration the parts for operators. The caller closes closeable parts; resources that these do not close
 * themselves are registered with {@link PluginContext#onClose}, as with {@link #create}.
 */
public interface ProjectionStoreProvider extends PluginProvider<ProjectionStore<?>> {
    /** The port {@code projections}. */
    Port<ProjectionStore<?>> PORT = Port.besideSubscriptions(
            "projections",
            "Projection store",
            ProjectionStore.class,
            ProjectionStoreProvider.class,
            "the projection store, such as jdbc",
            Map.of("jdbc", "spream-storage-jdbc"));

    /** Creates the operations of an operator on projections. */
    ProjectionOperations operations(PluginConfig config, PluginContext context) throws Exception;
}
