package dev.spream.projection;

import dev.spream.core.serialization.TypeRegistry;
import dev.spream.projection.event.EventEnvelope;
import java.util.Set;

/**
 * A projection of events into rows of a read model. It is called in a transaction that also writes its checkpoint:
 * effects in the database happen once for each event, those of one aggregate in order; effects elsewhere may happen
 * again.
 *
 * <p>Called by several threads at once, but for one aggregate by one at a time.
 *
 * @param <T> a transaction of the read model's database, such as a connection. It must not be committed, rolled back or closed
 */
public interface Projection<T> {

    /**
     * Returns the name of its state in the store, which must never change: 1 to 100 letters, digits, hyphens and
     * underscores, starting with a letter.
     */
    String name();

    /** Returns the event types that it handles; empty for all. Events of other types only count as seen. */
    default Set<String> eventTypes() {
        return Set.of();
    }

    /**
     * Returns whether it handles events of this type: by default, whether the type is one of {@link #eventTypes}, with or
     * without its version. The answer for a type must never change.
     */
    default boolean handles(String eventType) {
        Set<String> types = eventTypes();
        return types.isEmpty() || types.contains(eventType) || types.contains(TypeRegistry.withoutVersion(eventType));
    }

    /**
     * Returns the revision of its code, 1 or more. Raise it when the same events result in other rows, so that the read
     * model has to be rebuilt. A version of the read model is written by the code of its revision alone; a manager may
     * run several revisions of a projection.
     */
    default int revision() {
        return 1;
    }

    /**
     * Returns the projection that writes the read model of a version. By default this one, since the store separates
     * the tables of versions; read models elsewhere have the version in their names.
     */
    default Projection<T> ofVersion(int version) {
        return this;
    }

    /**
     * Applies one event.
     *
     * @throws ProjectionException to classify the failure, which decides how the event is handled
     * @throws Exception anything; the transaction is rolled back, and {@link ProjectionStore#failureKind} classifies
     *     the failure
     */
    void apply(T transaction, EventEnvelope event) throws Exception;
}
