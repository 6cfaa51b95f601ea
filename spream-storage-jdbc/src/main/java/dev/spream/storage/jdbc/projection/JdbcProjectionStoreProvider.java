package dev.spream.storage.jdbc.projection;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionStore;
import java.util.List;

/**
 * The projections {@code jdbc}: a {@link JdbcProjectionStore} over two pools of its own, one for applying batches and a small
 * one for keeping leases, which thus never wait behind batches; and what operators use beside it.
 */
@AutoService(ProjectionStoreProvider.class)
public final class JdbcProjectionStoreProvider implements ProjectionStoreProvider {
    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return ProjectionKeys.ALL;
    }

    @Override
    public ProjectionStore<?> create(PluginConfig config, PluginContext context) {
        return ProjectionKeys.store(config, context);
    }

    @Override
    public ProjectionOperations operations(PluginConfig config, PluginContext context) {
        return ProjectionKeys.operations(config, context);
    }
}
