package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;

/**
 * The effects of a projection besides its read model, such as a message put into an outbox. Each event is handed to
 * them once, whatever is rebuilt: after the event was applied by the live version, in the same transaction; never by others,
 * and not again for what a version that was live before has done.
 *
 * @param <T> a transaction of the read model's database
 */
public interface SideEffectingProjection<T> {

    /**
     * Does what follows from an event, in its transaction.
     *
     * @throws Exception anything; it counts as a failure of the event
     */
    void follow(T transaction, EventEnvelope event) throws Exception;
}
