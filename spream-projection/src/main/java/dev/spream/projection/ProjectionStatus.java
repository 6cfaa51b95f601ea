package dev.spream.projection;

/** The status of a projection: whether it applies events. */
public enum ProjectionStatus {
    /** It applies events, wherever it is run. */
    RUNNING,
    /** Somebody stopped it, everywhere; it goes on where it was when it is resumed. */
    PAUSED,
    /** A failure that no event can get past stopped it, everywhere; it goes on when it is resumed. */
    FAILED,
    /** It is built anew from the first event. */
    REBUILDING
}
