package dev.spream.projection;

/** The status of a projection: whether it applies events. */
public enum ProjectionStatus {
    /** It applies events, wherever it is run. */
    RUNNING,
    /** An operator stopped it, everywhere; when resumed it continues from its checkpoint. */
    PAUSED,
    /** A failure that every event would have stopped it, everywhere; when resumed it continues from its checkpoint. */
    FAILED,
    /** It is rebuilt from the first event. */
    REBUILDING
}
