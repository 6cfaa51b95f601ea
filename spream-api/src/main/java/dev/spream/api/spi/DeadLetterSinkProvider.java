package dev.spream.api.spi;

import dev.spream.core.consume.DeadLetterSink;
import java.util.Map;

/**
 * Creates the {@link DeadLetterSink} named by the configuration key {@code dead-letters}. If it is {@link
 * AutoCloseable}, it is closed after the run.
 */
public interface DeadLetterSinkProvider extends PluginProvider<DeadLetterSink> {
    /** The port {@code dead-letters}. */
    Port<DeadLetterSink> PORT = new Port<>(
            ConfigKey.of("dead-letters", ConfigType.text(), "Storage of dead letters.")
                    .withDefaultMeaning("none"),
            DeadLetterSink.class,
            DeadLetterSinkProvider.class,
            Port.Need.OPTIONAL,
            "one",
            Map.of("jdbc", "spream-storage-jdbc", "jsonl", "spream-sinks"));
}
