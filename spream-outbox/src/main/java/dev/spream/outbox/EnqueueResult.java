package dev.spream.outbox;

/** The outcome of enqueueing a message. */
public sealed interface EnqueueResult {

    /** It is in the outbox, if the transaction commits. */
    record Enqueued(long id) implements EnqueueResult {}

    /** The same request is there already, and not answered yet. Nothing was enqueued. */
    record InProgress(LedgerEntry entry) implements EnqueueResult {}

    /** The same request was there, and has been answered. Nothing was enqueued. */
    record Settled(LedgerEntry entry) implements EnqueueResult {}

    /** The key belongs to another request. Nothing was enqueued. */
    record Conflict(LedgerEntry entry) implements EnqueueResult {}
}
