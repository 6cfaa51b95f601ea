package dev.spream.api.spi;

import dev.spream.core.consume.Consumer;
import java.util.Map;

/**
 * Makes a sink: a {@link Consumer}, as {@code sink} in the configuration names it. If it is {@link AutoCloseable}, it is
 * closed when the run has ended and its last {@code flush} has returned.
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
                    "pubsub", "spream-sink-pubsub"));
}
