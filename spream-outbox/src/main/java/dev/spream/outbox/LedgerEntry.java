package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * The entry of a request in the ledger.
 *
 * @param generation 1 at first, incremented each time the failed request is reopened
 * @param result the final result, which never changes; empty while the request is in progress
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
            throw new IllegalArgumentException(
                    "a ledger entry needs both a result and a time of settlement, or neither");
        }
    }

    public LedgerStatus status() {
        return result.map(LedgerResult::status).orElse(LedgerStatus.IN_PROGRESS);
    }
}
