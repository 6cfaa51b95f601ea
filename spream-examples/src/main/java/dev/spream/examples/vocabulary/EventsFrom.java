package dev.spream.examples.vocabulary;

import dev.spream.api.config.ConfigException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The origin of the events of projections, to which commands write them. */
enum EventsFrom {
    /** Events are stored in and read from PostgreSQL. */
    EVENT_STORE,
    /** A table of Spanner and its change stream. */
    CHANGE_STREAM,
    /** PostgreSQL, from where events are published to Pub/Sub and read by subscriptions. */
    PUBSUB;

    /** @throws ConfigException if the name is unknown */
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
