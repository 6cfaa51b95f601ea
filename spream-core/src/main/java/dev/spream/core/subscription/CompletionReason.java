package dev.spream.core.subscription;

/** The reason why {@link Subscriber#run} returned. After a failure it throws an exception instead. */
public enum CompletionReason {
    /** The end timestamp is reached on all partitions, and every change is settled. */
    COMPLETED,
    /**
     * {@link Subscriber#shutdown} was called: started changes were finished, the others are delivered after a
     * restart.
     */
    SHUT_DOWN,
    /** {@link Subscriber#close} was called or the thread was interrupted: consumers were interrupted. */
    CLOSED
}
