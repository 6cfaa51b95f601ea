package dev.spream.api.spi;

import dev.spream.core.consume.Consumer;
import java.util.Map;

/**
 * Creates the sink, the {@link Consumer} named by the configuration key {@code sink}. If it is {@link AutoCloseable},
 * it is closed after the run, when its last {@code flush} has returned.
 */
public interface ConsumerProvider extends PluginProvider<Consumer> {
    /** The port {@code sink}. */
    Port<Consumer> PORT = new Port<>(
            ConfigKey.of("sink", ConfigType.text(), "Receiver of the changes."),
            Consumer.class,
            ConsumerProvider.class,
            Port.Need.NAMED,
            "one",
            Map.of(
                    "stdout", "spream-sinks",
                    "log", "spream-sinks",
                    "jsonl", "spream-sinks",
                    "webhook", "spream-sinks",
                    "pubsub", "spream-sink-pubsub",
                    "kafka", "spream-sink-kafka"));
}
