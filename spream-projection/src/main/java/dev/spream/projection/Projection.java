package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import java.util.Set;

/**
 * A projection of events into rows of a read model. It is called in a transaction that also writes its checkpoint: effects in the
 * database happen once for each event, those of one aggregate in order; effects elsewhere may happen again.
 *
 * <p>Called by several threads at once, but for one aggregate by one at a time.
 *
 * @param <T> a transaction of the read model's database, such as a connection. It must not be committed, rolled back or closed
 */
public interface Projection<T> {

    /** Names its state in the store, for ever: 1 to 100 letters, digits, hyphens and underscores, a letter first. */
    String name();

    /** The event types that it handles; empty for all. Events of other types only count as seen. */
    default Set<String> eventTypes() {
        return Set.of();
    }

    /**
     * The revision of its code, 1 or more: raised when the same events lead to other rows, so that the read model has to be
     * rebuilt. A version of the read model is written by the code of its revision alone; a manager may run several revisions of a
     * projection.
     */
    default int revision() {
        return 1;
    }

    /**
     * The same projection, which writes the read model of a version. By default this, since the store keeps versions of tables
     * apart; read models elsewhere have the version in their names.
     */
    default Projection<T> ofVersion(int version) {
        return this;
    }

    /**
     * Applies one event.
     *
     * @throws ProjectionException to say how it failed, and so what becomes of it
     * @throws Exception anything; nothing of the transaction remains then, and {@link ProjectionStore#failureKind} judges it
     */
    void apply(T transaction, EventEnvelope event) throws Exception;
}
