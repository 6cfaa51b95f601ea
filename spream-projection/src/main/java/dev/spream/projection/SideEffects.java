package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;

/**
 * What a projection does besides its read model, such as putting a message into an outbox. It is told each event once, whatever
 * is rebuilt: after the event was applied by the live version, in the same transaction; never by others, and not again for
 * what a version that was live before has done.
 *
 * @param <T> a transaction of the read model's database
 */
public interface SideEffects<T> {

    /**
     * Does what follows from an event, in its transaction.
     *
     * @throws Exception anything; it counts as a failure of the event
     */
    void follow(T transaction, EventEnvelope event) throws Exception;
}
