package dev.spream.core.consume;

/** The reason why changes of a {@link Transaction} are missing that was read from the stream. */
public enum MissingChanges {
    /**
     * The commit timestamp of the transaction is in an accepted gap of some partition: changes were lost to the retention
     * period, or skipped by an operator.
     */
    GAP,
    /**
     * The changes were settled before: the watermark of a partition was stored after the commit timestamp before this
     * process read the transaction, or this process itself had delivered it. They are not read again after a crash, a
     * restart or a lost lease.
     */
    SETTLED_BEFORE,
    /** Neither a gap nor an earlier settlement explains it: the changes may be lost. */
    UNKNOWN
}
