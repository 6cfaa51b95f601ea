package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A projection that folds the events of a row in memory, so that a batch of events becomes one statement for many rows. The
 * result must be the same however the events are cut into batches.
 *
 * <p>Rows belong to aggregates unless {@link #key} says otherwise. A row that several aggregates share, such as a total for each
 * customer, is written by several segments at a time: they wait for each other's rows, and deadlock if they lock them in
 * different orders. So every batch writes each row once, and all batches write them in the order of their keys.
 *
 * @param <T> a transaction of the read model's database
 * @param <F> what the events of one row come to: a change, or the row itself, if one aggregate alone writes it
 */
public interface FoldableProjection<T, F> extends Projection<T> {

    /**
     * Names the row that an event changes: by default the id of its aggregate. Touches nothing else. Order, duplicates and
     * parking are by aggregate all the same, so that events of several aggregates that share a row come in any order: what
     * they come to must not depend on it.
     */
    default String key(EventEnvelope event) throws Exception {
        return event.aggregateId();
    }

    /**
     * Adds an event to what those before it in the batch came to. Touches nothing else.
     *
     * @param folded of the events with the same key before it in this batch; null for the first
     */
    F fold(@Nullable F folded, EventEnvelope event) throws Exception;

    /**
     * Writes what the events of several rows came to. Where rows are shared, it writes or locks them in the order of the map, and
     * adds to what they are by then.
     *
     * @param folded by key, at least one, in the order of the keys, which is that of {@link String#compareTo}
     */
    void write(T transaction, Map<String, F> folded) throws Exception;

    /** Folds the one event and writes it. */
    @Override
    default void apply(T transaction, EventEnvelope event) throws Exception {
        write(transaction, Map.of(key(event), fold(null, event)));
    }
}
