package dev.spream.outbox;

import java.time.Instant;
import java.util.Optional;

/**
 * An entry of the outbox, as its sender sees it.
 *
 * @param id its place in the outbox; greater than that of every entry of its ordering key that was enqueued before
 * @param generation how often the request was begun: 1, and one more with each requeue after it was aborted. Key and generation
 *     together name what the ledger settles once
 * @param payload a JSON text, equal to what was enqueued as JSON, not always as text
 */
public record OutboxEntry(
        long id,
        String idempotencyKey,
        int generation,
        String requestDigest,
        String payload,
        Optional<String> orderingKey,
        Optional<String> traceparent,
        Instant createdAt,
        Optional<Instant> expiresAt) {

    /** Shows no payload. */
    @Override
    public String toString() {
        return "OutboxEntry[id=%d, idempotencyKey=%s, generation=%d]".formatted(id, idempotencyKey, generation);
    }
}
