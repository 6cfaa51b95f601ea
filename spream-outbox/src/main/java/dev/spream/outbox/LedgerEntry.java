package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * The entry of a request in the ledger.
 *
 * @param generation 1, and one more each time the request was begun again after it had failed
 * @param result empty while it is in progress; never changes once it is there
 */
public record LedgerEntry(
        String idempotencyKey,
        int generation,
        String requestDigest,
        Optional<LedgerResult> result,
        Instant createdAt,
        Optional<Instant> settledAt) {
    public LedgerEntry {
        requireNonNull(idempotencyKey, "idempotencyKey");
        requireNonNull(requestDigest, "requestDigest");
        requireNonNull(createdAt, "createdAt");
        if (result.isPresent() != settledAt.isPresent()) {
            throw new IllegalArgumentException("an entry needs both a result and its time, or neither");
        }
    }

    public LedgerStatus status() {
        return result.map(LedgerResult::status).orElse(LedgerStatus.IN_PROGRESS);
    }
}
