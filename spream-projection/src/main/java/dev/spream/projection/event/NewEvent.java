package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * An event to append; the store assigns its version and its position. No text contains the character U+0000, which databases
 * cannot hold.
 *
 * @param eventId unique among all events: 1 to 200 characters. Appending it again at the same place does nothing
 * @param eventType what happened: 1 to 200 characters
 * @param eventData a JSON text
 */
public record NewEvent(String eventId, String eventType, String eventData, Instant occurredAt, EventMetadata metadata) {
    public NewEvent {
        EventChecks.length("eventId", eventId, EventChecks.ID_LENGTH);
        EventChecks.length("eventType", eventType, EventChecks.TYPE_LENGTH);
        EventChecks.storable("eventData", eventData);
        requireNonNull(occurredAt, "occurredAt");
        requireNonNull(metadata, "metadata");
    }

    /** Returns the event as one of an aggregate. */
    public EventEnvelope of(String aggregateId, long version) {
        return new EventEnvelope(eventId, aggregateId, eventType, eventData, version, occurredAt, metadata);
    }

    @Override
    public String toString() {
        return "%s '%s'".formatted(eventType, eventId);
    }
}
