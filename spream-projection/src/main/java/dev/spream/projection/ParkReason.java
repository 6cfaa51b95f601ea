package dev.spream.projection;

/** The reason why an aggregate is parked. */
public enum ParkReason {
    /** An event failed in a way that may pass; it is tried again. */
    TRANSIENT,
    /** An event fails by what it is, or has failed too often. It waits for somebody. */
    POISON,
    /** An event is missing before those that are there. They are applied when it comes. */
    GAP
}
