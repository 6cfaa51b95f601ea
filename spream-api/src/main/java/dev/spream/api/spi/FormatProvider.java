package dev.spream.api.spi;

import java.util.Map;

/**
 * Creates the {@link Format} that a sink names in its key {@code format}. The formats that are part of spream need no
 * provider. If it is {@link AutoCloseable}, it is closed after the sink.
 */
public interface FormatProvider extends PluginProvider<Format> {
    /** The port {@code format}. */
    Port<Format> PORT = new Port<>(
            ConfigKey.of("format", ConfigType.text(), "Format of the sink."),
            Format.class,
            FormatProvider.class,
            Port.Need.SINK,
            "a format",
            Map.of("avro", "spream-format-avro", "protobuf", "spream-format-protobuf"));
}
