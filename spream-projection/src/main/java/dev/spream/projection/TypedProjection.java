package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.TypedEvents;

/**
 * A projection that receives the events of a class as values, and usually switches over them. Events of other registered
 * classes only count as seen. An event that cannot be read, because its type is unknown, its version newer or its data
 * malformed, parks its aggregate; unknown types are skipped if its {@linkplain TypedEvents#skippingUnknownTypes events}
 * say so.
 *
 * @param <T> a transaction of the read model's database
 * @param <E> the class of the events
 */
public interface TypedProjection<T, E> extends Projection<T> {

    /** Returns the events that it receives; the same at every call. */
    TypedEvents<E> events();

    /**
     * Applies one event.
     *
     * @throws Exception as {@link Projection#apply} does
     */
    void apply(T transaction, E event, EventEnvelope envelope) throws Exception;

    @Override
    default boolean handles(String eventType) {
        return events().handles(eventType);
    }

    @Override
    default void apply(T transaction, EventEnvelope envelope) throws Exception {
        apply(transaction, events().read(envelope), envelope);
    }
}
