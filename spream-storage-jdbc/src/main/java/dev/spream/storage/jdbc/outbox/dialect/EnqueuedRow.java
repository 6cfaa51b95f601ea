package dev.spream.storage.jdbc.outbox.dialect;

import java.time.Instant;
import java.util.Optional;

/**
 * An entry that was inserted.
 *
 * @param key its idempotency key
 * @param transaction the server's identity of the transaction; empty if it has none to ask for
 * @param claimedPayload the payload as every claim returns it; empty if the entry was not claimed
 */
public record EnqueuedRow(
        String key,
        long id,
        Instant createdAt,
        Optional<Instant> expiresAt,
        Optional<String> transaction,
        Optional<String> claimedPayload) {}
