package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * The origin of an event. No value contains the character U+0000.
 *
 * @param correlationId shared by all events that the same request led to; may be empty
 * @param userId the user that caused it; may be empty
 * @param sourceService the service that wrote it; may be empty
 * @param idempotencyKey of the request that led to it, if it had one
 */
public record EventMetadata(
        String correlationId, String userId, String sourceService, Optional<String> idempotencyKey) {
    /** Metadata of an event of which nothing is known. */
    public static final EventMetadata NONE = new EventMetadata("", "", "", Optional.empty());

    public EventMetadata {
        EventChecks.storable("correlationId", correlationId);
        EventChecks.storable("userId", userId);
        EventChecks.storable("sourceService", sourceService);
        requireNonNull(idempotencyKey, "idempotencyKey");
        idempotencyKey.ifPresent(key -> EventChecks.storable("idempotencyKey", key));
    }
}
