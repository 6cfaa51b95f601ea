package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A projection that folds the events of a row in memory, so that a batch of events becomes one statement for many rows.
 * The result must not depend on how events are divided into batches.
 *
 * <p>Rows belong to aggregates unless {@link #key} is overridden. A row that several aggregates share, such as a total
 * for each customer, is written by several segments at a time: they wait for each other's rows, and deadlock if they
 * lock them in different orders. So every batch writes each row once, and all batches write them in the order of their
 * keys.
 *
 * @param <T> a transaction of the read model's database
 * @param <F> the folded events of one row: a change, or the row itself, if one aggregate alone writes it
 */
public interface FoldableProjection<T, F> extends Projection<T> {

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

    /**
     * Writes the folded events of several rows. If rows are shared, it writes or locks them in the order of the map,
     * and adds to their current values.
     *
     * @param folded the folded events by key, at least one, in the order of the keys by {@link String#compareTo}
     */
    void write(T transaction, Map<String, F> folded) throws Exception;

    /** Folds the one event and writes it. */
    @Override
    default void apply(T transaction, EventEnvelope event) throws Exception {
        write(transaction, Map.of(key(event), fold(null, event)));
    }
}
