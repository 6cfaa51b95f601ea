package dev.spream.api.spi;

import dev.spream.outbox.OutboxSender;
import java.util.Map;

/** Makes an {@link OutboxSender}, as {@code sender} in the configuration names it. */
public interface OutboxSenderProvider extends PluginProvider<OutboxSender> {
    /** The port {@code sender}. */
    Port<OutboxSender> PORT = Port.besideSubscriptions(
            "sender",
            "What sends the entries of an outbox",
            OutboxSender.class,
            OutboxSenderProvider.class,
            "what sends the entries of the outbox, such as http",
            Map.of("http", "spream-sinks", "pubsub", "spream-sink-pubsub"));
}
