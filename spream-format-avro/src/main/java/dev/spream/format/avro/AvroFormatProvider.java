package dev.spream.format.avro;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.FormatProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.format.schema.SchemaRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private static final ConfigKey<URI> REGISTRY = ConfigKey.of(
            "schema-registry.url",
            ConfigType.url("http", "https"),
            "Schema registry with the API of Confluent's, in which the schemas of messages are registered.");
    private static final ConfigKey<String> USER =
            ConfigKey.of("schema-registry.user", ConfigType.text(), "User, or API key, of the schema registry.");
    private static final ConfigKey<String> PASSWORD = ConfigKey.of(
                    "schema-registry.password", ConfigType.text(), "Password, or API secret, of the user.")
            .secret();
    private static final ConfigKey<Boolean> REGISTER = ConfigKey.of(
                    "schema-registry.register",
                    ConfigType.flag(),
                    "Whether new schemas are registered; otherwise they have to be registered before their first message.")
            .withDefaultMeaning("true");
    private static final ConfigKey<Duration> TIMEOUT = ConfigKey.of(
                    "schema-registry.timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
                    "Time limit of a request to the schema registry.")
            .withDefaultMeaning("10s");

    @Override
    public String name() {
        return "avro";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(SHAPE, TIMESTAMPS, DATABASE, REGISTRY, USER, PASSWORD, REGISTER, TIMEOUT);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        List<String> problems = new ArrayList<>();
        if (config.get(SHAPE) == Shape.RECORD && config.find(TIMESTAMPS).isPresent()) {
            problems.add("timestamps: used by shape=after only, and the shape is record");
        }
        if (config.find(USER).isPresent() != config.find(PASSWORD).isPresent()) {
            problems.add("schema-registry.user: configure schema-registry.password as well, or neither of them");
        }
        if (config.find(REGISTRY).isEmpty()) {
            Stream.of(USER, PASSWORD, REGISTER, TIMEOUT)
                    .filter(key -> config.find(key).isPresent())
                    .forEach(key -> problems.add("%s: used with schema-registry.url only".formatted(key)));
        }
        config.find(REGISTRY)
                .filter(url ->
                        url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null)
                .ifPresent(
                        url -> problems.add(
                                "schema-registry.url: user and password belong in schema-registry.user and schema-registry.password; there is no query"));
        return problems;
    }

    @Override
    public Format create(PluginConfig config, PluginContext context) {
        ValueShape values = config.get(SHAPE) == Shape.RECORD
                ? new ChangeValues(TemplateRecord.of(config.find(DATABASE)))
                : new RowValues(config.find(TIMESTAMPS).orElse(Timestamps.TEXT));
        return new AvroFormat(values, framing(config, context));
    }

    private static Framing framing(PluginConfig config, PluginContext context) {
        Optional<URI> url = config.find(REGISTRY);
        if (url.isEmpty()) {
            return new SingleObjectFraming(context.subscription());
        }
        SchemaRegistry registry = SchemaRegistry.of(
                url.get(),
                config.find(USER).map(user -> new SchemaRegistry.Login(user, config.get(PASSWORD))),
                config.find(REGISTER).orElse(true),
                config.find(TIMEOUT).orElse(Duration.ofSeconds(10)));
        context.onClose(registry);
        return new RegistryFraming(registry);
    }
}
