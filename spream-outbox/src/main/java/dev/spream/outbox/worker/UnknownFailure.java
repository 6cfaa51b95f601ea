package dev.spream.outbox.worker;

import dev.spream.outbox.OutboxSender;

/**
 * The handling of an entry that has no attempts or no time left and may have reached a receiver that is {@link
 * OutboxSender.Guarantee#IDEMPOTENT idempotent}. Entries of other receivers are parked.
 */
public enum UnknownFailure {
    /**
     * The entry is parked, and reported to its client as in progress, until an operator requeues, settles or aborts it.
     */
    PARK,
    /**
     * The entry is aborted, and its client gets a failure, though the receiver may have accepted it. A requeue by an
     * operator is harmless, since the receiver recognises the key; the same request under another key may have a second
     * effect.
     */
    ABORT
}
