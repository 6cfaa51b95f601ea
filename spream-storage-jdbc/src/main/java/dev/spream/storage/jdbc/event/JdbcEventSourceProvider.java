package dev.spream.storage.jdbc.event;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.projection.event.EventSource;
import java.util.List;

/**
 * The event source {@code jdbc}: delivers the events of a {@link JdbcEventStore} over a pool of its own. The database
 * and table of the store are those of {@code events.jdbc}, unless configured for the source.
 */
@AutoService(EventSourceProvider.class)
public final class JdbcEventSourceProvider implements EventSourceProvider {
    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return EventKeys.ALL.stream()
                .<ConfigKey<?>>map(key -> key.withFallback("events.jdbc." + key.name()))
                .toList();
    }

    @Override
    public EventSource create(PluginConfig config, PluginContext context) {
        JdbcEventStore store = EventKeys.open(config, context);
        context.onClose(store);
        return store.source();
    }
}
