package dev.spream.api.spi;

import dev.spream.core.consume.DeadLetterSink;
import java.util.Map;

/**
 * Makes a {@link DeadLetterSink}, as {@code dead-letters} in the configuration names it. If it is {@link AutoCloseable}, it
 * is closed when the run has ended.
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
