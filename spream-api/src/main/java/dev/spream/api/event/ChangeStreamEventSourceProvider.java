package dev.spream.api.event;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.SharedChangeStream;
import dev.spream.projection.changestream.ChangeStreamEventSource;
import dev.spream.projection.changestream.EventTableMapping;
import dev.spream.projection.changestream.EventTableMapping.Column;
import dev.spream.projection.event.EventSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Provider of the event source {@code change-stream}: a {@link ChangeStreamEventSource} over the configured change
 * stream, with a subscription for each projection.
 */
@AutoService(EventSourceProvider.class)
public final class ChangeStreamEventSourceProvider implements EventSourceProvider {
    private static final ConfigKey<String> TABLE = ConfigKey.of(
                    "table",
                    ConfigType.text(),
                    "Table of the events, spelt as in its declaration and qualified with its named schema.")
            .required();
    private static final Map<Column, ConfigKey<String>> COLUMNS = columns();

    private static Map<Column, ConfigKey<String>> columns() {
        Map<Column, ConfigKey<String>> keys = new EnumMap<>(Column.class);
        for (Column column : Column.values()) {
            String name = "column-" + column.name().toLowerCase(Locale.ROOT).replace('_', '-');
            String meaning = "Column with the %s of events%s."
                    .formatted(column.defaultName(), column.required() ? "" : ", if there is one");
            keys.put(column, ConfigKey.of(name, ConfigType.text(), meaning).withDefault(column.defaultName()));
        }
        return keys;
    }

    @Override
    public String name() {
        return "change-stream";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return Stream.concat(Stream.of(TABLE), COLUMNS.values().stream())
                .<ConfigKey<?>>map(key -> key)
                .toList();
    }

    @Override
    public boolean readsChangeStream() {
        return true;
    }

    @Override
    public EventSource create(PluginConfig config, PluginContext context) {
        Map<Column, String> columns = new EnumMap<>(Column.class);
        COLUMNS.forEach((column, key) -> columns.put(column, config.get(key)));
        SharedChangeStream lent = context.changeStream();
        return new ChangeStreamEventSource(
                lent.stream(), lent.storages(), new EventTableMapping(config.get(TABLE), columns), lent.options());
    }
}
