package dev.spream.format.avro;

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
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The format {@code avro}. Files are Avro's object container files. A message is Avro's single-object encoding, or refers to
 * a schema registry with the API of Confluent's.
 *
 * <p>With {@code shape=record} a value is a change with the schema of Google's Dataflow template from change streams to
 * Cloud Storage. With {@code shape=after} it is the row after the change, whose schema follows the types of its columns.
 */
@AutoService(FormatProvider.class)
public final class AvroFormatProvider implements FormatProvider {
    /** The contents of a value. */
    enum Shape {
        RECORD,
        AFTER
    }

    /** The form of the values of TIMESTAMP columns. */
    enum Timestamps {
        TEXT,
        MICROS
    }

    private static final ConfigKey<Shape> SHAPE = ConfigKey.of(
                    "shape",
                    ConfigType.choice(Shape.class),
                    "Contents of a value: the change, with the schema of Google's Dataflow template, or the row after the"
                            + " change, with a schema by the types of its columns.")
            .withDefault(Shape.RECORD);
    private static final ConfigKey<Timestamps> TIMESTAMPS = ConfigKey.of(
                    "timestamps",
                    ConfigType.choice(Timestamps.class),
                    "Form of TIMESTAMP columns with shape=after: text with all nanoseconds, or Avro's timestamp-micros, which"
                            + " loses the digits after the microsecond.")
            .withDefaultMeaning("text");
    private static final ConfigKey<String> DATABASE = ConfigKey.of(
                    "source-database",
                    ConfigType.text(),
                    "Full name of the database of the change stream, for values of shape=record that name it.")
            .withFallback("source.spanner.database");

    @Override
    public String name() {
        return "avro";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return Stream.concat(Stream.of(SHAPE, TIMESTAMPS, DATABASE), RegistryKeys.ALL.stream())
                .toList();
    }

    @Override
    public List<String> problems(PluginConfig config) {
        List<String> problems = new ArrayList<>(RegistryKeys.problems(config));
        if (config.get(SHAPE) == Shape.RECORD && config.find(TIMESTAMPS).isPresent()) {
            problems.add("timestamps: used by shape=after only, and the shape is record");
        }
        return problems;
    }

    @Override
    public Format create(PluginConfig config, PluginContext context) {
        ValueShape values = config.get(SHAPE) == Shape.RECORD
                ? new ChangeValues(TemplateRecord.of(config.find(DATABASE)))
                : new RowValues(config.find(TIMESTAMPS).orElse(Timestamps.TEXT));
        Framing framing = RegistryKeys.registry(config, context, SchemaType.AVRO)
                .<Framing>map(RegistryFraming::new)
                .orElseGet(() -> new SingleObjectFraming(new SchemaLog(context.subscription())));
        return new AvroFormat(values, framing);
    }
}
