package dev.spream.api.spi;

import dev.spream.projection.event.EventStore;
import java.util.Map;

/** Makes an {@link EventStore}, as {@code events} in the configuration names it. */
public interface EventStoreProvider extends PluginProvider<EventStore> {
    /** The port {@code events}. */
    Port<EventStore> PORT = Port.besideSubscriptions(
            "events",
            "Where events are kept",
            EventStore.class,
            EventStoreProvider.class,
            "where they are kept, such as jdbc",
            Map.of("jdbc", "spream-storage-jdbc"));
}
