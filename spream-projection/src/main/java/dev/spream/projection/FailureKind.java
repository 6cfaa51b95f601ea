package dev.spream.projection;

/** The kind of a failure to apply events, which decides what is retried, parked or stopped. */
public enum FailureKind {
    /** The same event may succeed later, such as after a timeout. It is retried; its aggregate is parked meanwhile. */
    TRANSIENT,
    /**
     * The transaction conflicted with another one, as in a deadlock, which says nothing about the event. The whole
     * batch is repeated after a short random pause, which grows; no aggregate is parked, and no attempt is counted.
     */
    CONFLICT,
    /**
     * A non-retryable failure of the event itself, such as a stack overflow. Its aggregate is parked with all later
     * events until an operator retries or skips it; other aggregates continue.
     */
    POISON,
    /**
     * Every event would fail in this process, because of its environment, such as a folder, an address or a key; other
     * processes may succeed. The process releases its segments and no longer runs the version. Its manager ends if that
     * is the live version and no candidate version is being built. The stored status does not change.
     */
    LOCAL,
    /**
     * Every event would fail in every process, such as for a missing table. The projection stops as {@link
     * ProjectionStatus#FAILED}.
     */
    FATAL
}
