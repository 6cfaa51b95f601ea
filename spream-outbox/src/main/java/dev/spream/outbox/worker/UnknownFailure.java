package dev.spream.outbox.worker;

import dev.spream.outbox.OutboxSender;

/**
 * The treatment of an entry that has no attempt or no time left and may have reached a receiver that is {@link
 * OutboxSender.Guarantee#IDEMPOTENT idempotent}. Entries of other receivers are parked.
 */
public enum UnknownFailure {
    /** It is parked, and reported to its client as in progress, until an operator requeues, settles or aborts it. */
    PARK,
    /**
     * It is aborted, and its client is told a failure, though the receiver may have taken it. A requeue by hand is harmless, as the
     * receiver recognises the key; the same request under another key may have a second effect.
     */
    ABORT
}
