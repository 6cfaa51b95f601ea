package dev.spream.api.format;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The format of a sink, from its configuration. A sink returns the {@link #keys} with its own, reports the {@link
 * #problems}, and creates the format with {@link #of}.
 */
public final class ConfiguredFormat {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
    private static final String RECORD = "record";
    private static final String AFTER = "after";
    private static final String DEBEZIUM = "debezium";
    private static final String CLOUDEVENTS = "cloudevents";
    private static final List<String> NAMES = List.of(RECORD, AFTER, DEBEZIUM, CLOUDEVENTS);

    private static final String MEANING =
            "Format of the messages: the documentation's record, the row after the change alone, Debezium's envelope, or CloudEvents";
    private static final ConfigKey<String> FORMAT = ConfigKey.of(
                    "format", nameOr(NAMES), MEANING + "; or that of a plug-in, such as avro of spream-format-avro.")
            .withDefault(RECORD);
    private static final ConfigKey<String> TEXT_FORMAT =
            ConfigKey.of("format", ConfigType.name(NAMES), MEANING + ".").withDefault(RECORD);
    private static final ConfigKey<String> DATABASE = ConfigKey.of(
                    "source-database",
                    new ConfigType<>(
                            QualifiedStreamName.DATABASE_FORM, ConfiguredFormat::requireDatabase, name -> name),
                    "Database of the change stream, for messages that name it.")
            .withFallback("source.spanner.database");
    private static final ConfigKey<String> STREAM = ConfigKey.of(
                    "source-stream", ConfigType.text(), "Name of the change stream, for messages that name it.")
            .withFallback("source.spanner.stream");
    private static final ConfigKey<Boolean> AFTER_PARTIAL = ConfigKey.of(
                    "after-partial",
                    ConfigType.flag(),
                    "Whether format=after sends modified columns alone where the change stream captured no others; otherwise such a change is refused.")
            .withDefaultMeaning("false");
    private static final ConfigKey<String> DEBEZIUM_NAME = ConfigKey.of(
                    "debezium-name",
                    ConfigType.text(),
                    "Name of the connector in messages of debezium, in place of Debezium's own; names of schemas begin with it.")
            .withDefaultMeaning("the subscription");
    private static final ConfigKey<Boolean> DEBEZIUM_SCHEMAS = ConfigKey.of(
                    "debezium-schemas",
                    ConfigType.flag(),
                    "Whether each message of debezium contains its schema, as schemas.enable of Kafka Connect's JsonConverter has it.")
            .withDefaultMeaning("false");

    private ConfiguredFormat() {}

    private static String requireDatabase(String database) {
        QualifiedStreamName.of(database, "");
        return database;
    }

    /**
     * Returns the type of a format's name: one of these, or another that is the name of a plug-in, which the host checks.
     */
    public static ConfigType<String> nameOr(List<String> names) {
        return new ConfigType<>(
                String.join(" | ", names) + " | name of a plug-in", ConfiguredFormat::requireName, name -> name, names);
    }

    private static String requireName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("expected a name, of lower-case letters, digits and hyphens");
        }
        return name;
    }

    /** Returns the keys that a sink adds to its own. */
    public static List<ConfigKey<?>> keys() {
        return keys(FORMAT);
    }

    /** Returns the keys that a sink of text adds to its own; plug-ins' formats are not text. */
    public static List<ConfigKey<?>> keysOfText() {
        return keys(TEXT_FORMAT);
    }

    private static List<ConfigKey<?>> keys(ConfigKey<String> format) {
        return List.of(format, DATABASE, STREAM, AFTER_PARTIAL, DEBEZIUM_NAME, DEBEZIUM_SCHEMAS);
    }

    /** Returns the problems of the configured format, for {@link dev.spream.api.spi.PluginProvider#problems}. */
    public static List<String> problems(PluginConfig config) {
        String choice = config.get(FORMAT);
        List<String> problems = new ArrayList<>();
        if (choice.equals(DEBEZIUM) || choice.equals(CLOUDEVENTS)) {
            Stream.of(DATABASE, STREAM)
                    .filter(key -> config.find(key).isEmpty())
                    .forEach(key ->
                            problems.add("%s: required by format=%s, whose messages name it".formatted(key, choice)));
        }
        unused(config, AFTER_PARTIAL, AFTER).ifPresent(problems::add);
        unused(config, DEBEZIUM_NAME, DEBEZIUM).ifPresent(problems::add);
        unused(config, DEBEZIUM_SCHEMAS, DEBEZIUM).ifPresent(problems::add);
        return problems;
    }

    private static Optional<String> unused(PluginConfig config, ConfigKey<?> key, String user) {
        String choice = config.get(FORMAT);
        return choice.equals(user) || config.find(key).isEmpty()
                ? Optional.empty()
                : Optional.of("%s: used by format=%s only, and the format is %s".formatted(key, user, choice));
    }

    /** Returns the full name of the database of the change stream; empty if it is not configured. */
    public static Optional<String> database(PluginConfig config) {
        return config.find(DATABASE);
    }

    /** Returns the name of the change stream; empty if it is not configured. */
    public static Optional<String> stream(PluginConfig config) {
        return config.find(STREAM);
    }

    /** Returns the configured format of single rows. */
    public static ChangeFormat of(PluginConfig config, PluginContext context) {
        return ofRows(config, context).orElseGet(ChangeFormat::record);
    }

    /**
     * Returns the configured format of single rows; empty for {@code record}, for a sink that sends the records of that
     * format whole, with all of their rows.
     */
    public static Optional<ChangeFormat> ofRows(PluginConfig config, PluginContext context) {
        return switch (config.get(FORMAT)) {
            case RECORD -> Optional.empty();
            case AFTER ->
                Optional.of(ChangeFormat.after(config.find(AFTER_PARTIAL).orElse(false)));
            case DEBEZIUM ->
                Optional.of(ChangeFormat.debezium(
                        streamName(config),
                        config.find(DEBEZIUM_NAME).orElseGet(context::subscription),
                        config.find(DEBEZIUM_SCHEMAS).orElse(false),
                        context.clock()));
            case CLOUDEVENTS -> Optional.of(ChangeFormat.cloudEvents(streamName(config)));
            default -> Optional.of(plugged(config.get(FORMAT), context));
        };
    }

    private static ChangeFormat plugged(String name, PluginContext context) {
        return new PluggedFormat(context.format()
                .messages()
                .orElseThrow(() -> new IllegalArgumentException("format: %s has no messages".formatted(name))));
    }

    private static QualifiedStreamName streamName(PluginConfig config) {
        return QualifiedStreamName.of(
                database(config).orElseThrow(), stream(config).orElseThrow());
    }
}
