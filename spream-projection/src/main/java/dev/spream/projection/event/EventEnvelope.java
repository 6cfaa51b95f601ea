package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * An event with its envelope: everything that is known without parsing its data. The data stay text until they are
 * read, so that an event with malformed data can still be ordered, recognised and parked. No text contains the
 * character U+0000, which databases cannot hold.
 *
 * @param eventId unique among all events: 1 to 200 characters
 * @param aggregateId the aggregate; the events of one aggregate are delivered in order. 1 to 1,024 characters
 * @param eventType what happened, such as {@code ItemAdded}: 1 to 200 characters
 * @param eventData a JSON text
 * @param eventVersion its number within the aggregate: 1 for the first, and one more for each after it
 * @param occurredAt when it happened, by its writer's clock
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

    /** Omits the data, which may be confidential. */
    @Override
    public String toString() {
        return "%s '%s' (version %d of '%s')".formatted(eventType, eventId, eventVersion, aggregateId);
    }
}
