package dev.spream.api.spi;

import dev.spream.core.source.ChangeStreamSource;
import java.util.Map;

/** Makes a {@link ChangeStreamSource}, as {@code source} in the configuration names it. */
public interface ChangeStreamSourceProvider extends PluginProvider<ChangeStreamSource> {
    /** The port {@code source}. */
    Port<ChangeStreamSource> PORT = new Port<>(
            ConfigKey.of("source", ConfigType.text(), "Source of the changes.")
                    .withDefaultMeaning("the only one present"),
            ChangeStreamSource.class,
            ChangeStreamSourceProvider.class,
            Port.Need.ONE,
            "the change stream, such as spanner",
            Map.of("spanner", "spream-storage-spanner"));
}
