package dev.spream.api.spi;

import dev.spream.core.source.ChangeStreamSource;

/** Makes a {@link ChangeStreamSource}, as {@code source} in the configuration names it. */
public non-sealed interface ChangeStreamSourceProvider extends PluginProvider<ChangeStreamSource> {}
