package dev.spream.projection;

/** The reason why an aggregate is parked, and with it, whether it is retried without an operator. */
public enum ParkReason {
    /** A retryable failure of an event; it is tried again. */
    TRANSIENT,
    /** A non-retryable failure of an event, or no attempts left. The aggregate waits for an operator. */
    POISON,
    /** An earlier event is missing. The stored events are applied when it arrives. */
    GAP
}
