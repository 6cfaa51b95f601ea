package dev.spream.outbox;

import java.time.Duration;

/**
 * Sends entries to a receiver, such as a broker. Called by many threads at a time, but for entries of one ordering key
 * one after the other. A call is interrupted when it exceeds its timeout, when the worker loses the lease of the entry,
 * and when the worker is closed.
 */
public interface OutboxSender {

    /** The behaviour of the receiver for an entry that reaches it twice. */
    enum Guarantee {
        /**
         * The receiver applies an entry once, by its idempotency key. An attempt with an unknown outcome is resolved by
         * sending the entry again.
         */
        IDEMPOTENT,
        /** The receiver may apply an entry twice, but can be {@linkplain #query queried} first. */
        QUERYABLE,
        /**
         * The receiver may apply an entry twice and cannot be queried: an entry that may have reached it is parked for
         * an operator.
         */
        NEITHER
    }

    Guarantee guarantee();

    /**
     * Returns the name of this sender in logs and spans, such as {@code http}; the simple name of the class by default.
     */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * Sends an entry once.
     *
     * @param timeout the maximum duration; after it the call is interrupted and its outcome is unknown
     * @throws Exception if the outcome of the attempt is unknown. An entry that certainly was not sent is a {@link
     *     SendOutcome.Retryable} instead
     */
    SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception;

    /**
     * Queries the receiver for the outcome of an entry that may have reached it. Called only for senders that are
     * {@linkplain Guarantee#QUERYABLE queryable}.
     *
     * @throws Exception if the query failed; it is repeated later
     */
    default QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
        throw new UnsupportedOperationException(this + " cannot query the receiver about an entry");
    }
}
