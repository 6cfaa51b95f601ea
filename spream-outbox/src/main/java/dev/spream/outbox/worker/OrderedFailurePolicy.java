package dev.spream.outbox.worker;

/** The handling of an entry with an ordering key that cannot be sent, and so of the entries behind it. */
public enum OrderedFailurePolicy {
    /** The entry is aborted, and the next entry of its key is sent. */
    ABORT,
    /**
     * The entry is parked, and its key with it, until an operator requeues, settles or aborts it. An entry that expires
     * unclaimed, or whose idempotency key belongs to another request in the ledger, is still aborted.
     */
    PARK
}
