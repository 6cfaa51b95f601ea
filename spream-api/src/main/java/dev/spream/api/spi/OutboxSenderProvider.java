package dev.spream.api.spi;

import dev.spream.outbox.OutboxSender;
import java.util.Map;

/** Creates the {@link OutboxSender} named by the configuration key {@code sender}. */
public interface OutboxSenderProvider extends PluginProvider<OutboxSender> {
    /** The port {@code sender}. */
    Port<OutboxSender> PORT = Port.besideSubscriptions(
            "sender",
            "Sender of the outbox entries",
            OutboxSender.class,
            OutboxSenderProvider.class,
            "the sender, such as http",
            Map.of("http", "spream-sinks", "pubsub", "spream-sink-pubsub", "kafka", "spream-sink-kafka"));
}
