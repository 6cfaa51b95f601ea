package dev.spream.outbox;

import java.time.Duration;

/**
 * Sends entries to a receiver, such as a broker. Called by many threads at a time; entries of one ordering key come one after
 * the other. A call is interrupted when its time is over, when the worker has lost the entry, and when it is closed.
 */
public interface OutboxSender {

    /** The receiver's behaviour for an entry that reaches it twice. */
    enum Guarantee {
        /** It has one effect, by its key. What became of an attempt is found out by sending the entry again. */
        IDEMPOTENT,
        /** It could have two, but the receiver can be {@linkplain #query asked} first. */
        QUERYABLE,
        /** It may apply an entry twice and cannot be queried: an entry that may have reached it is parked for an operator. */
        NEITHER
    }

    Guarantee guarantee();

    /** Returns the name of this sender in logs and spans, such as {@code http}; the name of the class by default. */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * Sends an entry once.
     *
     * @param timeout how long it may take; after it the call is interrupted, and its outcome unknown
     * @throws Exception anything; what became of the entry is unknown then. What certainly did not leave is a {@link
     *     SendOutcome.Retryable}
     */
    SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception;

    /**
     * Asks the receiver what became of an entry that may have reached it. Called of those that are {@linkplain
     * Guarantee#QUERYABLE queryable} alone.
     *
     * @throws Exception anything; the entry is asked for again
     */
    default QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
        throw new UnsupportedOperationException(this + " cannot query the receiver about an entry");
    }
}
