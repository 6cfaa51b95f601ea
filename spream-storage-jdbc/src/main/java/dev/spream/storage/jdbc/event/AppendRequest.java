package dev.spream.storage.jdbc.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toSet;

import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.OptionalLong;

/**
 * The events to append to an aggregate.
 *
 * @param expected the version that the aggregate must have; empty for any
 */
record AppendRequest(String aggregateId, OptionalLong expected, List<NewEvent> events) {
    /** The longest id that fits into an index of PostgreSQL, whatever its characters. */
    static final int AGGREGATE_ID_BYTES = 2_600;

    private static final int AGGREGATE_ID_LENGTH = 1_024;
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    AppendRequest {
        requireAggregateId(aggregateId);
        events = List.copyOf(events);
        requireEvents(aggregateId, events);
    }

    static AppendRequest of(String aggregateId, ExpectedVersion expected, List<NewEvent> events) {
        return new AppendRequest(
                aggregateId,
                switch (expected) {
                    case ExpectedVersion.Any() -> OptionalLong.empty();
                    case ExpectedVersion.Exactly(long version) -> OptionalLong.of(version);
                },
                events);
    }

    private static void requireAggregateId(String aggregateId) {
        if (aggregateId.isEmpty()
                || aggregateId.length() > AGGREGATE_ID_LENGTH
                || aggregateId.indexOf('\0') >= 0
                || !UTF_8.newEncoder().canEncode(aggregateId)
                || aggregateId.getBytes(UTF_8).length > AGGREGATE_ID_BYTES) {
            throw new IllegalArgumentException(
                    "malformed aggregateId of %d characters: expected 1 to %d, none of them NUL or half of a surrogate pair, at most %d bytes in UTF-8"
                            .formatted(aggregateId.length(), AGGREGATE_ID_LENGTH, AGGREGATE_ID_BYTES));
        }
    }

    private static void requireEvents(String aggregateId, List<NewEvent> events) {
        if (events.isEmpty()) {
            throw new IllegalArgumentException("no event to append to '%s'".formatted(aggregateId));
        }
        if (events.stream().map(NewEvent::eventId).collect(toSet()).size() < events.size()) {
            throw new IllegalArgumentException(
                    "two of the %d events to append to '%s' have the same id".formatted(events.size(), aggregateId));
        }
        for (NewEvent event : events) {
            if (event.occurredAt().isBefore(FIRST) || event.occurredAt().isAfter(LAST)) {
                throw new IllegalArgumentException("event '%s' occurred at %s: must be within the years 1 to 9999"
                        .formatted(event.eventId(), event.occurredAt()));
            }
        }
    }

    List<String> eventIds() {
        return events.stream().map(NewEvent::eventId).toList();
    }

    /** Returns the time in the server's microseconds, truncated. */
    static OffsetDateTime occurredAt(NewEvent event) {
        return event.occurredAt().truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    }

    @Override
    public String toString() {
        return "%d events to '%s'".formatted(events.size(), aggregateId);
    }
}
