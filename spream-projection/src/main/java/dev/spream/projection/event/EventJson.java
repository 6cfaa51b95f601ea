package dev.spream.projection.event;

import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Events as JSON objects: {@code event_id}, {@code aggregate_id}, {@code event_type}, {@code event_data}, {@code
 * event_version}, {@code occurred_at} (RFC 3339) and {@code metadata} with {@code correlation_id}, {@code user_id},
 * {@code source_service} and {@code idempotency_key}. The data are kept as the text that they are.
 */
public final class EventJson {
    private EventJson() {}

    /**
     * Returns the event as a JSON object.
     *
     * @throws IllegalArgumentException if its data are not JSON text
     */
    public static String write(EventEnvelope event) {
        requireJson(event);
        Map<String, @Nullable Object> head = new LinkedHashMap<>();
        head.put("event_id", event.eventId());
        head.put("aggregate_id", event.aggregateId());
        head.put("event_type", event.eventType());
        Map<String, @Nullable Object> tail = new LinkedHashMap<>();
        tail.put("event_version", event.eventVersion());
        tail.put("occurred_at", event.occurredAt().toString());
        tail.put("metadata", metadata(event.metadata()));
        String before = Json.text(head);
        return before.substring(0, before.length() - 1) + ",\"event_data\":" + event.eventData() + ","
                + Json.text(tail).substring(1);
    }

    private static void requireJson(EventEnvelope event) {
        try {
            Json.parse(event.eventData());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("the data of %s are not JSON text".formatted(event), e);
        }
    }

    private static Map<String, @Nullable Object> metadata(EventMetadata metadata) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("correlation_id", metadata.correlationId());
        members.put("user_id", metadata.userId());
        members.put("source_service", metadata.sourceService());
        members.put("idempotency_key", metadata.idempotencyKey().orElse(null));
        return members;
    }

    /**
     * Reads an event from a JSON object. Unknown members are ignored; metadata may be missing, as a whole or in parts,
     * or null.
     *
     * @throws IllegalArgumentException if it is not an event; the message names the member, without its contents
     */
    public static EventEnvelope read(String text) {
        JsonObject object = JsonObject.of(text);
        String data = Json.member(text, "event_data").orElseThrow(() -> missing("event_data"));
        return new EventEnvelope(
                name(object, "event_id", EventChecks.ID_LENGTH),
                name(object, "aggregate_id", EventChecks.AGGREGATE_ID_LENGTH),
                name(object, "event_type", EventChecks.TYPE_LENGTH),
                data,
                version(object),
                occurredAt(object),
                metadata(object));
    }

    private static IllegalArgumentException missing(String member) {
        return new IllegalArgumentException("member %s is missing".formatted(member));
    }

    private static String name(JsonObject object, String member, int max) {
        String name = string(object, member).orElseThrow(() -> missing(member));
        EventChecks.length("member " + member, name, max);
        return name;
    }

    private static Optional<String> string(JsonObject object, String member) {
        return switch (object.get(member)) {
            case null -> Optional.empty();
            case String string -> Optional.of(string);
            case Object other -> throw new IllegalArgumentException("member %s is not a string".formatted(member));
        };
    }

    private static long version(JsonObject object) {
        if (!(object.get("event_version") instanceof BigDecimal number)) {
            throw new IllegalArgumentException("member event_version is missing, or not a number");
        }
        try {
            long version = number.longValueExact();
            if (version >= 1) {
                return version;
            }
            throw new IllegalArgumentException("member event_version is below 1; versions count from 1");
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("member event_version is not a whole number of 64 bits", e);
        }
    }

    private static Instant occurredAt(JsonObject object) {
        String time = string(object, "occurred_at").orElseThrow(() -> missing("occurred_at"));
        try {
            return OffsetDateTime.parse(time).toInstant();
        } catch (DateTimeException e) {
            // without the cause, whose message has the text
            throw new IllegalArgumentException("member occurred_at is not a time in the form of RFC 3339");
        }
    }

    private static EventMetadata metadata(JsonObject object) {
        Optional<JsonObject> metadata = object.object("metadata");
        return metadata.map(members -> new EventMetadata(
                        string(members, "correlation_id").orElse(""),
                        string(members, "user_id").orElse(""),
                        string(members, "source_service").orElse(""),
                        string(members, "idempotency_key")))
                .orElse(EventMetadata.NONE);
    }
}
