package dev.spream.outbox;

import java.time.Instant;
import java.util.Optional;

/**
 * An entry as shown to operators: all of it except the payload.
 *
 * @param attempts the number of attempts since it was enqueued, or requeued by an operator
 * @param nextRunAt the time at which it is due, if it is pending or failed and not parked
 * @param parked whether it is parked for an operator
 * @param destination the destination of its message; empty for the default sender
 * @param owner the worker that holds its claim
 * @param ledger the ledger's entry for its key; empty if there is none
 */
public record OutboxRow(
        long id,
        String idempotencyKey,
        int generation,
        String requestDigest,
        OutboxStatus status,
        int attempts,
        Optional<ReasonCode> lastError,
        Optional<String> lastErrorMessage,
        boolean outcomeUnknown,
        boolean parked,
        Optional<String> payloadType,
        String destination,
        Optional<String> orderingKey,
        Optional<Instant> nextRunAt,
        Optional<String> owner,
        Optional<Instant> leaseUntil,
        Instant createdAt,
        Instant updatedAt,
        Optional<Instant> expiresAt,
        Optional<LedgerEntry> ledger) {}
