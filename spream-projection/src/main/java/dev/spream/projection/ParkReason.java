package dev.spream.projection;

/** The reason why an aggregate is parked. */
public enum ParkReason {
    /** An event failed in a way that may pass; it is tried again. */
    TRANSIENT,
    /** A non-retryable failure of an event, or no attempts left. The aggregate waits for an operator. */
    POISON,
    /** An event is missing before those that are there. They are applied when it comes. */
    GAP
}
