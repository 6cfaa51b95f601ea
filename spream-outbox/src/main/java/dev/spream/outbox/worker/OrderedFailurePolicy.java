package dev.spream.outbox.worker;

/** The treatment of an entry with an ordering key that cannot be sent, and so of those behind it. */
public enum OrderedFailurePolicy {
    /** It is aborted like any other, and the next entry of its key is sent. */
    ABORT,
    /**
     * It is parked, and its key with it, until an operator requeues, settles or aborts it. An entry that expires unclaimed, or
     * whose idempotency key belongs to another request in the ledger, is aborted nevertheless.
     */
    PARK
}
