package dev.spream.outbox;

/** The outcome of enqueueing a message: a new entry, or the earlier request with the same idempotency key. */
public sealed interface EnqueueResult {

    /** The message was enqueued; it is in the outbox once the transaction commits. */
    record Enqueued(long id) implements EnqueueResult {}

    /** The same request exists and has no result yet. Nothing was enqueued. */
    record InProgress(LedgerEntry entry) implements EnqueueResult {}

    /** The same request exists and has its final result. Nothing was enqueued. */
    record Settled(LedgerEntry entry) implements EnqueueResult {}

    /** The key belongs to another request. Nothing was enqueued. */
    record Conflict(LedgerEntry entry) implements EnqueueResult {}
}
