package dev.spream.api.spi;

import dev.spream.projection.event.EventSource;
import java.util.Map;

/** Creates the {@link EventSource} named by the configuration key {@code event-source}. */
public interface EventSourceProvider extends PluginProvider<EventSource> {
    /** The port {@code event-source}. */
    Port<EventSource> PORT = Port.besideSubscriptions(
            "event-source",
            "Source of the events of projections",
            EventSource.class,
            EventSourceProvider.class,
            "the event source, such as jdbc, pubsub or change-stream",
            Map.of("jdbc", "spream-storage-jdbc", "pubsub", "spream-sink-pubsub"));

    /**
     * Returns whether the event source reads the change stream of {@code source}, with its partitions in
     * {@code storage}. Both must then be configured, and {@link PluginContext#changeStream} provides them. False by
     * default.
     */
    default boolean readsChangeStream() {
        return false;
    }
}
