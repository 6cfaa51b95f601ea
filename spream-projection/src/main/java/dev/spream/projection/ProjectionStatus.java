package dev.spream.projection;

/** The status of a projection, which decides whether it applies events. */
public enum ProjectionStatus {
    /** It applies events in all processes that run it. */
    RUNNING,
    /** An operator stopped it in all processes; when resumed, it continues from its checkpoint. */
    PAUSED,
    /**
     * A failure that affects every event stopped it in all processes; when resumed, it continues from its checkpoint.
     */
    FAILED,
    /** It is being rebuilt from its first event. */
    REBUILDING
}
