package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;
import java.util.List;

/**
 * A {@link Consumer} that takes several changes at once, which lets it write them with one statement or one request. A
 * batch may hold several changes of one key, in commit order. This version of the engine hands over batches of one.
 */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // the shapes of one port, told apart by what they are given
public interface BatchConsumer extends Consumer {

    /**
     * Handles the changes in order. Returning settles those that were not {@linkplain Batch#fail failed}; throwing sends
     * those that were not {@linkplain Batch#settle settled} to the {@link ErrorHandler}, one by one.
     */
    void consume(Batch batch) throws Exception;

    @Override
    default void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        SingleChange batch = new SingleChange(change, delivery);
        try {
            consume(batch);
        } catch (Throwable t) {
            if (!batch.isSettled()) {
                throw t;
            }
        }
        batch.rethrowFailure();
    }

    /** Changes to handle together. Confined to the call that received it. */
    interface Batch {
        /** The changes, in the order in which they have to take effect; at least one. */
        List<DataChangeRecord> changes();

        /** The circumstances of the change at that index. */
        Delivery delivery(int index);

        /** Settles one change now, whatever becomes of the rest of the batch. Settling it again is harmless. */
        void settle(int index);

        /**
         * Fails one change, which goes to the {@link ErrorHandler} when the call returns. Changes of the same key that
         * follow it in the batch count as not handled, and come again after it.
         */
        void fail(int index, Throwable cause);
    }
}
