package dev.spream.outbox;

/** The outcome of beginning a request in the ledger: it has begun, or its idempotency key is in use already. */
public sealed interface LedgerClaim {

    /** The request has begun and owns the key, once the transaction commits. */
    record Begun(int generation) implements LedgerClaim {}

    /** The same request is in progress. */
    record InProgress(LedgerEntry entry) implements LedgerClaim {}

    /** The same request has its final result. */
    record Settled(LedgerEntry entry) implements LedgerClaim {}

    /** The key belongs to another request. */
    record Conflict(LedgerEntry entry) implements LedgerClaim {}
}
