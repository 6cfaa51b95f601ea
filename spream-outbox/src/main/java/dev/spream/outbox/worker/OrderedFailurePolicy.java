package dev.spream.outbox.worker;

/** The treatment of an entry with an ordering key that cannot be sent, and so of those behind it. */
public enum OrderedFailurePolicy {
    /** It is aborted like any other, and its key goes on. */
    ABORT,
    /**
     * It is parked, and its key with it, until somebody requeues, settles or aborts it by hand. One that expires while nobody has
     * claimed it, or whose key the ledger has for another request, is aborted all the same.
     */
    PARK
}
