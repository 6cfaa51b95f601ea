package dev.spream.api.spi;

import dev.spream.projection.event.EventStore;
import java.util.Map;

/** Creates the {@link EventStore} named by the configuration key {@code events}. */
public interface EventStoreProvider extends PluginProvider<EventStore> {
    /** The port {@code events}. */
    Port<EventStore> PORT = Port.besideSubscriptions(
            "events",
            "Event store",
            EventStore.class,
            EventStoreProvider.class,
            "the event store, such as jdbc",
            Map.of("jdbc", "spream-storage-jdbc"));
}
