package dev.spream.storage.jdbc.event;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.EventStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.projection.event.EventStore;
import java.util.List;

/** The event store {@code jdbc}: a {@link JdbcEventStore} over a pool of its own. */
@AutoService(EventStoreProvider.class)
public final class JdbcEventStoreProvider implements EventStoreProvider {
    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return EventKeys.ALL;
    }

    @Override
    public EventStore create(PluginConfig config, PluginContext context) {
        return EventKeys.open(config, context);
    }
}
