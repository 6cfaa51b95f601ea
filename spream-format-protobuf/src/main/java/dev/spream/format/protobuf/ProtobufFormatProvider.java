package dev.spream.format.protobuf;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.FormatProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.format.schema.RegistryKeys;
import dev.spream.format.schema.SchemaLog;
import dev.spream.format.schema.SchemaType;
import java.util.List;
import java.util.stream.Stream;

/**
 * The format {@code protobuf}: messages alone, or with the id of their schema in a registry with the API of Confluent's.
 *
 * <p>With {@code shape=record} a value is a change as {@code google.spanner.v1.ChangeStreamRecord.DataChangeRecord}. With
 * {@code shape=after} it is the row after the change, whose message follows the types of its columns.
 */
@AutoService(FormatProvider.class)
public final class ProtobufFormatProvider implements FormatProvider {
    /** The contents of a value. */
    enum Shape {
        RECORD,
        AFTER
    }

    private static final ConfigKey<Shape> SHAPE = ConfigKey.of(
                    "shape",
                    ConfigType.choice(Shape.class),
                    "Contents of a value: the change, as the message of Spanner's API, or the row after the change, as a"
                            + " message by the types of its columns.")
            .withDefault(Shape.RECORD);

    @Override
    public String name() {
        return "protobuf";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return Stream.concat(Stream.of(SHAPE), RegistryKeys.ALL.stream()).toList();
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return RegistryKeys.problems(config);
    }

    @Override
    public Format create(PluginConfig config, PluginContext context) {
        MessageShape values =
                config.get(SHAPE) == Shape.RECORD ? new ChangeShape(new DataChangeMessage()) : new RowShape();
        MessageFraming framing = RegistryKeys.registry(config, context, SchemaType.PROTOBUF)
                .<MessageFraming>map(RegisteredFraming::new)
                .orElseGet(() -> new PlainFraming(new SchemaLog(context.subscription())));
        return new ProtobufFormat(values, framing);
    }
}
