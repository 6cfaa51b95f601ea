package dev.spream.api.spi;

import dev.spream.core.consume.Consumer;

/** Makes a sink: a {@link Consumer}, as {@code sink} in the configuration names it. If it is {@link AutoCloseable}, it is closed when the run has ended and its last {@code flush} has returned. */
public non-sealed interface ConsumerProvider extends PluginProvider<Consumer> {}
