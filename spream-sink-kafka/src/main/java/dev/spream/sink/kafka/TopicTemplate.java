package dev.spream.sink.kafka;

import dev.spream.api.spi.NonRetryableException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The name of a topic with placeholders for the names of the change stream and of the changed table. Immutable.
 *
 * @param text the name, such as {@code orders.{table}}
 */
record TopicTemplate(String text) {
    private static final String TABLE = "table";
    private static final String SCHEMA = "schema";
    private static final String DATABASE = "database";
    private static final String STREAM = "stream";
    private static final List<String> NAMES = List.of(TABLE, SCHEMA, DATABASE, STREAM);
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)\\}");

    /** @throws IllegalArgumentException if no table could make it the name of a topic */
    static TopicTemplate parse(String text) {
        TopicTemplate template = new TopicTemplate(text);
        for (String name : template.placeholders()) {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException("{%s} is unknown; known are %s"
                        .formatted(name, NAMES.stream().map("{%s}"::formatted).collect(Collectors.joining(", "))));
            }
        }
        TopicName.require(template.filled(name -> "x"));
        return template;
    }

    private Set<String> placeholders() {
        return PLACEHOLDER.matcher(text).results().map(found -> found.group(1)).collect(Collectors.toSet());
    }

    private String filled(UnaryOperator<String> value) {
        return PLACEHOLDER
                .matcher(text)
                .replaceAll((MatchResult found) -> Matcher.quoteReplacement(value.apply(found.group(1))));
    }

    /**
     * Returns this template with the names that are the same for all changes.
     *
     * @param database the full name of the database, of which the last part is used
     * @throws IllegalArgumentException if a name is needed and missing, or cannot be part of a topic's name
     */
    TopicTemplate of(Optional<String> database, Optional<String> stream) {
        Map<String, Optional<String>> known = Map.of(DATABASE, database.map(TopicTemplate::lastPart), STREAM, stream);
        TopicTemplate filled = new TopicTemplate(filled(name -> known.containsKey(name)
                ? known.get(name)
                        .orElseThrow(() -> new IllegalArgumentException(
                                "topic: {%s} is not known; configure source-%s".formatted(name, name)))
                : "{%s}".formatted(name)));
        return parse(filled.text);
    }

    private static String lastPart(String database) {
        return database.substring(database.lastIndexOf('/') + 1);
    }

    /** Returns the topic if it is the same for all tables. */
    Optional<String> onlyTopic() {
        return placeholders().isEmpty() ? Optional.of(text) : Optional.empty();
    }

    /** @throws NonRetryableException if it is not the name of a topic with that table */
    String topic(String tableName) {
        int dot = tableName.lastIndexOf('.');
        String topic = filled(name -> name.equals(SCHEMA) ? tableName.substring(0, Math.max(0, dot)) : tableName);
        if (!TopicName.isValid(topic)) {
            throw new NonRetryableException(
                    "no topic can be named '%s', the one of table %s: %s; retrying it will not help, configure another topic"
                            .formatted(topic, tableName, TopicName.RULE));
        }
        return topic;
    }

    @Override
    public String toString() {
        return text;
    }
}
