package dev.spream.api.spi;

import dev.spream.projection.event.EventSource;
import java.util.Map;

/** Makes an {@link EventSource}, as {@code event-source} in the configuration names it. */
public interface EventSourceProvider extends PluginProvider<EventSource> {
    /** The port {@code event-source}. */
    Port<EventSource> PORT = Port.besideSubscriptions(
            "event-source",
            "Where projections get their events from",
            EventSource.class,
            EventSourceProvider.class,
            "where projections get their events from, such as jdbc, pubsub or change-stream",
            Map.of("jdbc", "spream-storage-jdbc", "pubsub", "spream-sink-pubsub"));

    /**
     * Returns whether what it makes reads the change stream that {@code source} names, with its partitions where {@code
     * storage} says: then both have to be configured, and {@link PluginContext#changeStream} lends them. No by default.
     */
    default boolean readsChangeStream() {
        return false;
    }
}
