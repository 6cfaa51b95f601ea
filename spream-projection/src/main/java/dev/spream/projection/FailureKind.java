package dev.spream.projection;

/** The kind of a failure of an event, which decides how the event is handled. */
public enum FailureKind {
    /** It may succeed later as it is, such as after a time limit. Tried again; its aggregate is parked meanwhile. */
    TRANSIENT,
    /**
     * Its transaction and another were in each other's way, as in a deadlock, which says nothing of the event. All of
     * the batch is repeated after a short random pause, which grows; no aggregate is parked, and no attempt counts.
     */
    CONFLICT,
    /**
     * A non-retryable failure of the event itself, such as a stack overflow. Its aggregate is parked with all later
     * events until an operator retries or skips it; other aggregates continue.
     */
    POISON,
    /**
     * Every event would fail in this process, and elsewhere they may not, since what is wrong is around it: a folder,
     * an address, a key. The process gives its segments up and runs the live version no longer, and its manager ends;
     * the status stays as it is.
     */
    LOCAL,
    /** Every event would fail, such as for a table that is missing. The projection stops as {@link ProjectionStatus#FAILED}. */
    FATAL
}
