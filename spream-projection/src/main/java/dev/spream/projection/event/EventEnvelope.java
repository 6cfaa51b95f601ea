package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * An event with what is known of it without reading it. Its data stay text until somebody asks for them, so that an event
 * whose data nobody understands can still be ordered, recognised and set aside. None of its texts has the character U+0000,
 * which databases do not hold.
 *
 * @param eventId unique among all events: 1 to 200 characters
 * @param aggregateId of what it happened to; the events of one aggregate are delivered in order. 1 to 1,024 characters
 * @param eventType what happened, such as {@code ItemAdded}: 1 to 200 characters
 * @param eventData a JSON text
 * @param eventVersion its number within the aggregate: 1 for the first, and one more for each after it
 * @param occurredAt when it happened, by the clock of whoever wrote it
 */
public record EventEnvelope(
        String eventId,
        String aggregateId,
        String eventType,
        String eventData,
        long eventVersion,
        Instant occurredAt,
        EventMetadata metadata) {

    public EventEnvelope {
        EventChecks.length("eventId", eventId, EventChecks.ID_LENGTH);
        EventChecks.length("aggregateId", aggregateId, EventChecks.AGGREGATE_ID_LENGTH);
        EventChecks.length("eventType", eventType, EventChecks.TYPE_LENGTH);
        EventChecks.storable("eventData", eventData);
        requireNonNull(occurredAt, "occurredAt");
        requireNonNull(metadata, "metadata");
        if (eventVersion < 1) {
            throw new IllegalArgumentException(
                    "eventVersion of event '%s' is %d; versions count from 1".formatted(eventId, eventVersion));
        }
    }

    /** Without its data, which may be anybody's secret. */
    @Override
    public String toString() {
        return "%s '%s' (version %d of '%s')".formatted(eventType, eventId, eventVersion, aggregateId);
    }
}
