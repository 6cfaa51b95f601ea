package dev.spream.testkit.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.Json;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.NewEvent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Events with fixed, distinguishable contents, for tests. */
public final class TestEvents {
    /** A time with a precision that all stores support. */
    public static final Instant NOON = Instant.parse("2026-03-01T12:00:00.123456Z");

    static final EventMetadata METADATA =
            new EventMetadata("request 7", "ann@example", "vocabulary", Optional.of("key 'of' \"7\""));

    private TestEvents() {}

    public static NewEvent newEvent(String eventId) {
        return new NewEvent(eventId, "ItemAdded", data(eventId), NOON, METADATA);
    }

    private static String data(String eventId) {
        return "{\"id\": %s, \"price\": 1.50, \"tags\": [\"ß\\n\", null, true]}".formatted(Json.text(eventId));
    }

    public static List<NewEvent> newEvents(String... eventIds) {
        return Arrays.stream(eventIds).map(TestEvents::newEvent).toList();
    }

    /** Returns the event of an aggregate with that version; its id contains both. */
    public static EventEnvelope event(String aggregateId, long version) {
        return newEvent(aggregateId + "#" + version).of(aggregateId, version);
    }

    /** Returns the first events of an aggregate, or those from a version on. */
    public static List<EventEnvelope> events(String aggregateId, int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(version -> event(aggregateId, version))
                .toList();
    }

    /** Asserts that the events are equal, apart from the formatting of their data. */
    public static void assertSame(EventEnvelope actual, EventEnvelope expected) {
        assertThat(actual)
                .usingRecursiveComparison()
                .ignoringFields("eventData")
                .isEqualTo(expected);
        assertThat(Json.parse(actual.eventData()))
                .as("data of %s", actual)
                .usingRecursiveComparison()
                .withComparatorForType(java.math.BigDecimal::compareTo, java.math.BigDecimal.class)
                .isEqualTo(Json.parse(expected.eventData()));
    }

    public static void assertSame(List<EventEnvelope> actual, List<EventEnvelope> expected) {
        assertThat(actual).extracting(EventEnvelope::eventId).isEqualTo(ids(expected));
        for (int i = 0; i < expected.size(); i++) {
            assertSame(actual.get(i), expected.get(i));
        }
    }

    public static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }
}
