package dev.spream.outbox;

/** The answer of the ledger to a request that asks to begin. */
public sealed interface LedgerClaim {

    /** The key is the request's from now on, if the transaction commits. */
    record Begun(int generation) implements LedgerClaim {}

    /** The same request is under way. */
    record InProgress(LedgerEntry entry) implements LedgerClaim {}

    /** The same request has been answered. */
    record Settled(LedgerEntry entry) implements LedgerClaim {}

    /** The key belongs to another request. */
    record Conflict(LedgerEntry entry) implements LedgerClaim {}
}
