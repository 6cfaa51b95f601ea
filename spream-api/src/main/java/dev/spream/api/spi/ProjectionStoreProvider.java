package dev.spream.api.spi;

import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionStore;
import java.util.Map;

/**
 * Makes a {@link ProjectionStore}, as {@code projections} in the configuration names it, and from the same configuration what
 * operators need beside it. Whoever called closes what can be closed; what it stands on and does not close itself is for
 * {@link PluginContext#onClose}, as with {@link #create}.
 */
public interface ProjectionStoreProvider extends PluginProvider<ProjectionStore<?>> {
    /** The port {@code projections}. */
    Port<ProjectionStore<?>> PORT = Port.besideSubscriptions(
            "projections",
            "Where the states of projections are",
            ProjectionStore.class,
            ProjectionStoreProvider.class,
            "where their states are, such as jdbc",
            Map.of("jdbc", "spream-storage-jdbc"));

    /** Makes what operators look at the projections with, and change them. */
    ProjectionOperations operations(PluginConfig config, PluginContext context) throws Exception;
}
