package dev.spream.core.event;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * How an event came about.
 *
 * @param correlationId what it shares with everything that the same request led to; may be empty
 * @param userId who did it; may be empty
 * @param sourceService the service that wrote it; may be empty
 * @param idempotencyKey of the request that led to it, if it had one
 */
public record EventMetadata(
        String correlationId, String userId, String sourceService, Optional<String> idempotencyKey) {
    /** Of an event of which nothing is known. */
    public static final EventMetadata NONE = new EventMetadata("", "", "", Optional.empty());

    public EventMetadata {
        requireNonNull(correlationId, "correlationId");
        requireNonNull(userId, "userId");
        requireNonNull(sourceService, "sourceService");
        requireNonNull(idempotencyKey, "idempotencyKey");
    }
}
