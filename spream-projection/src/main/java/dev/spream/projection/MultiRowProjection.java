package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.util.Map;
import java.util.TreeMap;

/**
 * A projection that folds events into rows in memory, none, one or several rows for an event, so that a batch of events
 * becomes one statement for many rows. The result must not depend on how events are divided into batches. {@link
 * FoldableProjection} is the simpler form for one row an event.
 *
 * <p>A row that several aggregates share, such as a total for each customer, is written by several segments at a time:
 * they wait for each other's rows, and deadlock if they lock them in different orders. So every batch writes each row
 * once, and all batches write them in the order of their keys. Order, duplicates and parking are per aggregate: the
 * events of several aggregates that share a row arrive in any order, and the result must not depend on it.
 *
 * @param <T> a transaction of the read model's database
 * @param <F> the folded events of one row: a change, or the row itself, if one aggregate alone writes it
 */
public interface MultiRowProjection<T, F> extends Projection<T> {

    /**
     * Folds an event into the rows that it changes. Has no other effects.
     *
     * @param rows the folded events before it in the batch, by the key of their row
     */
    void foldInto(Map<String, F> rows, EventEnvelope event) throws Exception;

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
        Map<String, F> rows = new TreeMap<>();
        foldInto(rows, event);
        if (!rows.isEmpty()) {
            write(transaction, rows);
        }
    }
}
