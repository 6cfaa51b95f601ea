package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.List;

/**
 * The changes of one Spanner transaction in a change stream, from all partitions. Confined to the call that received it;
 * must not be used afterwards.
 */
public interface Transaction {

    /** Returns the id that Spanner gave the transaction in the stream; it is unique over all times. */
    String serverTransactionId();

    /** Returns the time at which the transaction was committed, which others that touch no common row may share. */
    Instant commitTimestamp();

    /** Returns the tag that the writer gave the transaction, or an empty string. */
    String transactionTag();

    /** Returns whether Spanner itself changed the rows, such as a row deletion policy. */
    boolean isSystemTransaction();

    /**
     * Returns whether these are all changes of the transaction in the stream. False if others were settled before, after a
     * crash or a lost lease; if some were lost to the retention period and the loss was accepted; and in the replay of a
     * dead letter.
     */
    boolean isComplete();

    /**
     * Returns the changes in the order of their record sequences; at least one. Those of a large transaction are read from
     * disk each time they are got: iterate once, and keep what is needed.
     */
    List<DataChangeRecord> changes();

    /** Returns the circumstances of the change at that index: its partition, with the epoch of the lease. */
    Delivery delivery(int index);
}
