package dev.spream.core.consume;

/** The delivery of changes by transaction, and the order of transactions. */
public enum TransactionMode {
    /** Each change is delivered by itself, as soon as its {@link Ordering} allows. */
    OFF,
    /**
     * Whole transactions, each as soon as it is complete and those before it on its keys are settled. With {@link
     * Ordering#PARTITION} one at a time.
     */
    WHOLE,
    /**
     * Whole transactions, one at a time, in the order of their commit timestamps over the whole stream, and of their ids
     * where those are equal. A transaction waits until every partition has been read past its commit timestamp: about a
     * heartbeat interval if one of them is idle.
     */
    COMMIT_ORDER
}
