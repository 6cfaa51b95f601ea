package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;

/** A {@link Consumer} that needs to know no more than the change. */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // the shapes of one port, told apart by what they are given
public interface ChangeHandler extends Consumer {

    /** Handles one change, as {@link Consumer#consume} does. */
    void consume(DataChangeRecord change) throws Exception;

    @Override
    default void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        consume(change);
    }
}
