package dev.spream.core.projection;

import dev.spream.core.event.EventEnvelope;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A projection whose events of one aggregate can be put together in memory first, so that a batch of events becomes one
 * statement for many rows. The result must be the same however the events are cut into batches.
 *
 * @param <T> a transaction of the read model's database
 * @param <F> what the events of one aggregate come to: a change, or the row itself
 */
public interface FoldableProjection<T, F> extends Projection<T> {

    /**
     * Adds an event to what those before it in the batch came to. Touches nothing else.
     *
     * @param folded of the events of the same aggregate before it in this batch; null for the first
     */
    F fold(@Nullable F folded, EventEnvelope event) throws Exception;

    /**
     * Writes what the events of several aggregates came to.
     *
     * @param folded by aggregate id, at least one, in the order of the ids
     */
    void write(T transaction, Map<String, F> folded) throws Exception;

    /** Folds the one event and writes it. */
    @Override
    default void apply(T transaction, EventEnvelope event) throws Exception {
        write(transaction, Map.of(event.aggregateId(), fold(null, event)));
    }
}
