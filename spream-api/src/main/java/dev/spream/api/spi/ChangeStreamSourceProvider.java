package dev.spream.api.spi;

import dev.spream.core.source.ChangeStreamSource;
import java.util.Map;

/** Creates the {@link ChangeStreamSource} named by the configuration key {@code source}. */
public interface ChangeStreamSourceProvider extends PluginProvider<ChangeStreamSource> {
    /** The port {@code source}. */
    Port<ChangeStreamSource> PORT = new Port<>(
            ConfigKey.of("source", ConfigType.text(), "Source of the changes.")
                    .withDefaultMeaning("the only source on the class path or in the plug-in folder"),
            ChangeStreamSource.class,
            ChangeStreamSourceProvider.class,
            Port.Need.ONE,
            "the source, such as spanner",
            Map.of("spanner", "spream-storage-spanner"));
}
