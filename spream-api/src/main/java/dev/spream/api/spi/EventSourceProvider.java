package dev.spream.api.spi;

import dev.spream.projection.event.EventSource;

/** Makes an {@link EventSource}, as {@code event-source} in the configuration names it. */
public non-sealed interface EventSourceProvider extends PluginProvider<EventSource> {

    /**
     * Whether what it makes reads the change stream that {@code source} names, with its partitions where {@code storage} says:
     * then both have to be configured, and {@link PluginContext#changeStream} lends them. No by default.
     */
    default boolean readsChangeStream() {
        return false;
    }
}
