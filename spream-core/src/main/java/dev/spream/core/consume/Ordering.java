package dev.spream.core.consume;

/**
 * The order of delivery of the changes of one partition, and of those that continue its keys: a change of a child comes
 * after those of its parents that it would follow in one partition.
 */
public enum Ordering {
    /** One change, or one batch, at a time, in commit order. The default if one change may be in flight. */
    PARTITION,

    /**
     * The changes of one primary key one at a time, in commit order; changes of different keys at the same time. A
     * change of several rows waits for, and holds up, all of their keys. The default if several changes may be in
     * flight.
     */
    KEY,

    /**
     * Any change of a partition at any time: the fastest, for effects that do not depend on order. A child is still read
     * after everything of its parents is settled; moves of key ranges between living partitions are not waited for.
     */
    NONE
}
