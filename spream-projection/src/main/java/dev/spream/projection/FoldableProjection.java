package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A projection that folds the events of a row in memory, so that a batch of events becomes one statement for many rows.
 * Rows belong to aggregates unless {@link #key} is overridden; of rows that aggregates share, {@link
 * MultiRowProjection} states how they are written.
 *
 * @param <T> a transaction of the read model's database
 * @param <F> the folded events of one row: a change, or the row itself, if one aggregate alone writes it
 */
public interface FoldableProjection<T, F> extends MultiRowProjection<T, F> {

    /**
     * Returns the key of the row that an event changes: by default the id of its aggregate. Has no side effects. Order,
     * duplicates and parking remain per aggregate, so the events of several aggregates that share a row arrive in any
     * order: the result must not depend on it.
     */
    default String key(EventEnvelope event) throws Exception {
        return event.aggregateId();
    }

    /**
     * Adds an event to the folded events before it in the batch. Has no side effects.
     *
     * @param folded the folded events with the same key before it in this batch; null for the first
     */
    F fold(@Nullable F folded, EventEnvelope event) throws Exception;

    @Override
    default void foldInto(Map<String, F> rows, EventEnvelope event) throws Exception {
        String key = key(event);
        rows.put(key, fold(rows.get(key), event));
    }
}
