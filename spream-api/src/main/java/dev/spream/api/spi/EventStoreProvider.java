package dev.spream.api.spi;

import dev.spream.projection.event.EventStore;

/** Makes an {@link EventStore}, as {@code events} in the configuration names it. */
public non-sealed interface EventStoreProvider extends PluginProvider<EventStore> {}
