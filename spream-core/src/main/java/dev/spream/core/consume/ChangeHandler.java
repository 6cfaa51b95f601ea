package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;

/** A {@link Consumer} that needs only the change. */
@FunctionalInterface
@SuppressWarnings("FunctionalInterfaceMethodChanged") // the shapes of one port, distinguished by their parameters
public interface ChangeHandler extends Consumer {

    /** Handles one change, as {@link Consumer#consume} does. */
    void consume(DataChangeRecord change) throws Exception;

    @Override
    default void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        consume(change);
    }
}
