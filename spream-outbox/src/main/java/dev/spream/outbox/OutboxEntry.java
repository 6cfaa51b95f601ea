package dev.spream.outbox;

import java.time.Instant;
import java.util.Optional;

/**
 * An entry of the outbox, as passed to the sender.
 *
 * @param id the id of the entry, greater than those of all earlier entries of its destination and ordering key
 * @param generation 1 at first, incremented with each requeue of the aborted entry. The ledger settles each generation
 *     of a key once
 * @param payload a JSON text, equal as JSON to the enqueued one, though not always the same text
 * @param payloadType the name of the type of the payload, if its message had one
 * @param destination the destination of its message; empty for the default sender
 */
public record OutboxEntry(
        long id,
        String idempotencyKey,
        int generation,
        String requestDigest,
        String payload,
        Optional<String> payloadType,
        String destination,
        Optional<String> orderingKey,
        Optional<String> traceparent,
        Instant createdAt,
        Optional<Instant> expiresAt) {

    /** Omits the payload. */
    @Override
    public String toString() {
        return "OutboxEntry[id=%d, idempotencyKey=%s, generation=%d]".formatted(id, idempotencyKey, generation);
    }
}
