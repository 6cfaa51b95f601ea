package dev.spream.api.spi;

import dev.spream.core.source.ChangeStreamSource;
import java.util.Map;

/** Makes a {@link ChangeStreamSource}, as {@code source} in the configuration names it. */
public interface ChangeStreamSourceProvider extends PluginProvider<ChangeStreamSource> {
    /** The port {@code source}. */
    Port<ChangeStreamSource> PORT = new Port<>(
            ConfigKey.of("source", ConfigType.text(), "Where changes come from.")
                    .withDefaultMeaning("the only one there is"),
            ChangeStreamSource.class,
            ChangeStreamSourceProvider.class,
            Port.Need.ONE,
            "the change stream, such as spanner",
            Map.of("spanner", "spream-storage-spanner"));
}
