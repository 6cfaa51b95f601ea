package dev.spream.api.format;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The format of a sink, from its configuration. A sink returns the {@link #keys} with its own, reports the {@link
 * #problems}, and creates the format with {@link #of}.
 */
public final class ConfiguredFormat {
    private enum Choice {
        RECORD,
        AFTER,
        DEBEZIUM,
        CLOUDEVENTS
    }

    private static final ConfigKey<Choice> FORMAT = ConfigKey.of(
                    "format",
                    ConfigType.choice(Choice.class),
                    "Format of the messages: the documentation's record, the row after the change alone, Debezium's envelope, or CloudEvents.")
            .withDefault(Choice.RECORD);
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

    /** Returns the keys that a sink adds to its own. */
    public static List<ConfigKey<?>> keys() {
        return List.of(FORMAT, DATABASE, STREAM, AFTER_PARTIAL, DEBEZIUM_NAME, DEBEZIUM_SCHEMAS);
    }

    /** Returns the problems of the configured format, for {@link dev.spream.api.spi.PluginProvider#problems}. */
    public static List<String> problems(PluginConfig config) {
        Choice choice = config.get(FORMAT);
        List<String> problems = new ArrayList<>();
        if (choice == Choice.DEBEZIUM || choice == Choice.CLOUDEVENTS) {
            Stream.of(DATABASE, STREAM)
                    .filter(key -> config.find(key).isEmpty())
                    .forEach(key -> problems.add("%s: required by format=%s, whose messages name it"
                            .formatted(key, FORMAT.type().write(choice))));
        }
        unused(config, AFTER_PARTIAL, Choice.AFTER).ifPresent(problems::add);
        unused(config, DEBEZIUM_NAME, Choice.DEBEZIUM).ifPresent(problems::add);
        unused(config, DEBEZIUM_SCHEMAS, Choice.DEBEZIUM).ifPresent(problems::add);
        return problems;
    }

    private static Optional<String> unused(PluginConfig config, ConfigKey<?> key, Choice user) {
        Choice choice = config.get(FORMAT);
        return choice == user || config.find(key).isEmpty()
                ? Optional.empty()
                : Optional.of("%s: used by format=%s only, and the format is %s"
                        .formatted(key, FORMAT.type().write(user), FORMAT.type().write(choice)));
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
        };
    }

    private static QualifiedStreamName streamName(PluginConfig config) {
        return QualifiedStreamName.of(
                database(config).orElseThrow(), stream(config).orElseThrow());
    }
}
