package dev.spream.core.consume;

/** The reason why changes of a {@link Transaction} are missing that was read from the stream. */
public enum MissingChanges {
    /**
     * The commit timestamp of the transaction is in an accepted gap of some partition: changes were lost to the retention
     * period, or skipped by an operator.
     */
    GAP,
    /**
     * No such gap is known: the changes were settled before, and not read again after a crash or a lost lease. Gaps of
     * partitions that were finished before a restart are not known.
     */
    SETTLED_BEFORE
}
