package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;

/**
 * A {@link Consumer} that takes whole transactions: all changes of one Spanner transaction that the stream has, from
 * whichever partitions, in one call. Two transactions that change a common row come one after the other, in commit
 * order; {@link TransactionMode#COMMIT_ORDER} orders all of them.
 *
 * <p>Every transaction is delivered at least once. After a crash one that was settled may come again, also in part: {@link
 * Transaction#isComplete()} is then false. One worker at a time reads all partitions of such a subscription; others stand by.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#data-change-records">Spanner: data change
 *     records, number_of_records_in_transaction</a>
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // the shapes of one port, distinguished by their parameters
public interface TransactionConsumer extends Consumer {

    /**
     * Handles one transaction. When this returns, all its changes may be forgotten, as {@link Consumer#consume} says of
     * one.
     *
     * @throws Exception anything; none of the changes is settled then, and the {@link ErrorHandler} decides on the whole
     *     transaction, given the first of them
     */
    void consume(Transaction transaction) throws Exception;

    /** Handles one change of a transaction that was dead-lettered, as an incomplete transaction. */
    @Override
    default void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        consume(new SingleChangeTransaction(change, delivery));
    }
}
