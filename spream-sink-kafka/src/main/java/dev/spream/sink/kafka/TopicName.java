package dev.spream.sink.kafka;

import java.util.regex.Pattern;

/** The rules for names of topics, which Kafka's client applies only when a message is sent. */
final class TopicName {
    private static final int MAX_LENGTH = 249;
    private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9._-]{1,%d}".formatted(MAX_LENGTH));

    static final String RULE =
            "a topic has 1 to %d letters, digits, '.', '_' and '-', and is not '.' or '..'".formatted(MAX_LENGTH);

    private TopicName() {}

    static boolean isValid(String name) {
        return NAME.matcher(name).matches() && !name.equals(".") && !name.equals("..");
    }

    /** @throws IllegalArgumentException if it is not the name of a topic; the message states the rule */
    static String require(String name) {
        if (!isValid(name)) {
            throw new IllegalArgumentException(RULE);
        }
        return name;
    }
}
