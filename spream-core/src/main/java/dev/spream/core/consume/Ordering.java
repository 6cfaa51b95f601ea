package dev.spream.core.consume;

/** Which changes wait for each other. */
public enum Ordering {
    /** The changes of one partition are consumed one at a time, in commit order. */
    PARTITION,
    /** The changes of one primary key are consumed one at a time, in commit order; other keys at the same time. */
    KEY,
    /** No change waits for another. */
    NONE
}
