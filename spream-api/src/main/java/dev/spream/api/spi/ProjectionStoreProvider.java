package dev.spream.api.spi;

import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionStore;

/**
 * Makes a {@link ProjectionStore}, as {@code projections} in the configuration names it, and from the same configuration what
 * operators need beside it. Whoever called closes what can be closed; what it stands on and does not close itself is for
 * {@link PluginContext#onClose}, as with {@link #create}.
 */
public non-sealed interface ProjectionStoreProvider extends PluginProvider<ProjectionStore<?>> {

    /** Makes what operators look at the projections with, and change them. */
    ProjectionOperations operations(PluginConfig config, PluginContext context) throws Exception;
}
