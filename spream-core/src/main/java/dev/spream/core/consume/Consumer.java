package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;

/**
 * Receives the changes of a stream. Returning settles the change, throwing sends it to the {@link ErrorHandler}.
 * Every change is delivered at least once; after a crash, a take-over or a failure it is delivered again, with the
 * same {@link DataChangeRecord#identity()}.
 *
 * <p>{@link Ordering} decides which changes are delivered at the same time. By default, changes of one partition are
 * delivered one at a time; with several in flight, those of one primary key are; always in commit order, across
 * retries, and a partition's changes only after all those of its parents. Calls run on many virtual threads at once:
 * an implementation must be thread-safe. A call is interrupted on a hard close, and past the time that a call may
 * take, if there is a limit.
 *
 * <p>{@link ChangeHandler} and {@link BatchConsumer} are the other two shapes of this port; a one-argument lambda is
 * a {@code ChangeHandler}.
 */
@FunctionalInterface
public interface Consumer {

    /**
     * Handles one change. When this returns, the change may be forgotten: its effect is durable, or will be when {@link
     * #flush()} returns.
     *
     * @param delivery the circumstances of this call
     * @throws Exception anything; the change is not settled then
     */
    void consume(DataChangeRecord change, Delivery delivery) throws Exception;

    /**
     * Makes the effect of every change that {@link #consume} returned from durable. No watermark that covers them is
     * stored before. A consumer whose effects are durable when {@code consume} returns need not implement this.
     * Called by one thread at a time, while other threads may be in {@code consume}; never interrupted, so one that
     * does not return holds up the end of the subscription.
     *
     * @throws Exception anything; watermarks then stay where they are, and the subscription stops
     */
    default void flush() throws Exception {}
}
