package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;
import java.util.List;

/**
 * A {@link Consumer} that takes several changes at once, which lets it write them with one statement or one request.
 * A batch holds the changes that may be consumed together when a call is made: changes of one partition, several of
 * one key too, in commit order. A change whose predecessor on its key is in another running call is not among them. With
 * a {@link TransactionMode} other than {@code OFF}, a batch is one transaction: all its changes, of several partitions and
 * in any number.
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // the shapes of one port, distinguished by their parameters
public interface BatchConsumer extends Consumer {

    /**
     * Handles the changes in order. Returning settles those that were not {@linkplain Batch#fail failed}. An
     * exception does not identify the failed change: those that were not {@linkplain Batch#settle settled} are
     * delivered again one by one, and one that fails alone goes to the {@link ErrorHandler}.
     */
    void consume(Batch batch) throws Exception;

    @Override
    default void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        SingleChange batch = new SingleChange(change, delivery);
        try {
            consume(batch);
        } catch (Throwable t) {
            batch.failUnlessSettled(t);
        }
        batch.rethrowFailure();
    }

    /** Changes to handle together. Confined to the call that received it; must not be used afterwards. */
    interface Batch {
        /** Returns the changes, in the order in which they have to take effect; at least one. */
        List<DataChangeRecord> changes();

        /** Returns the circumstances of the change at that index. */
        Delivery delivery(int index);

        /**
         * Returns whether the changes are those of a whole transaction. They are settled or fail together then, and an
         * exception is the failure of all of them: they are not delivered one by one.
         */
        default boolean isTransaction() {
            return false;
        }

        /**
         * Settles one change now, independently of the rest of the batch. In a batch of one change, it is settled when
         * the call ends, even if the call throws. Settling it again is harmless.
         */
        void settle(int index);

        /**
         * Fails one change, which goes to the {@link ErrorHandler} when the call returns. Changes that must not
         * overtake it and follow it in the batch count as not handled, unless they were settled, and are delivered
         * again after it.
         *
         * @throws IllegalStateException if the change is settled
         */
        void fail(int index, Throwable cause);
    }
}
