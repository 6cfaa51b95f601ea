package dev.spream.examples.vocabulary;

import dev.spream.api.config.ConfigException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The source of the events of projections, to which commands write them. */
enum EventsFrom {
    /** PostgreSQL, both. */
    EVENT_STORE,
    /** A table of Spanner, and its change stream. */
    CHANGE_STREAM,
    /** PostgreSQL, from where they are published to Pub/Sub, and subscriptions of it. */
    PUBSUB;

    /** @throws ConfigException if it is none of the names */
    static EventsFrom parse(String name) {
        return Arrays.stream(values())
                .filter(value -> value.toString().equals(name))
                .findFirst()
                .orElseThrow(() -> new ConfigException(
                        List.of("%s: expected one of %s".formatted(VocabularySettings.EVENTS, List.of(values())))));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
