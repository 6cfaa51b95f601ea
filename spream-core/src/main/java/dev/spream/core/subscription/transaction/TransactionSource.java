package dev.spream.core.subscription.transaction;

import dev.spream.core.subscription.lease.HeldPartition;

/** A partition whose changes go to a {@link TransactionAssembler}. Safe for use by many threads. */
public interface TransactionSource {
    HeldPartition partition();

    /** Returns whether what was taken and is not being delivered must be left. */
    boolean isStopping();

    /** Returns whether deliveries under way were interrupted. */
    boolean isCancelled();

    /** Called without a lock after changes of the partition were settled. */
    void settled();

    /** Called without a lock after a transaction was left: stops if the lease is lost. */
    void checkHeld();
}
