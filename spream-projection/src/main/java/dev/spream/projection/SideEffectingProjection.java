package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;

/**
 * The effects of a projection besides its read model, such as a message put into an outbox. They receive each event
 * once, even across rebuilds: after the live version applied it, in the same transaction; never from other versions,
 * and not again for events that a previously live version has handled.
 *
 * @param <T> a transaction of the read model's database
 */
public interface SideEffectingProjection<T> {

    /**
     * Produces the side effects of an event, in its transaction.
     *
     * @throws Exception anything; it counts as a failure of the event
     */
    void follow(T transaction, EventEnvelope event) throws Exception;
}
