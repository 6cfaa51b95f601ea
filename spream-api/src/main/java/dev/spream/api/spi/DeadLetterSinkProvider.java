package dev.spream.api.spi;

import dev.spream.core.consume.DeadLetterSink;

/** Makes a {@link DeadLetterSink}, as {@code dead-letters} in the configuration names it. If it is {@link AutoCloseable}, it is closed when the run has ended. */
public non-sealed interface DeadLetterSinkProvider extends PluginProvider<DeadLetterSink> {}
