package dev.spream.api.spi;

import dev.spream.outbox.OutboxSender;

/** Makes an {@link OutboxSender}, as {@code sender} in the configuration names it. */
public non-sealed interface OutboxSenderProvider extends PluginProvider<OutboxSender> {}
