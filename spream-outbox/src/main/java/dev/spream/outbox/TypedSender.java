package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.serialization.TypeRegistry;
import dev.spream.outbox.OutboxSender.Guarantee;
import java.time.Duration;

/**
 * Sends entries whose payloads are values of registered types, from messages of {@link OutboxMessage#typed}. Called like
 * an {@link OutboxSender}, which {@link #sender} returns for a worker.
 *
 * @param <T> the type of the values; a sealed interface for several
 */
public interface TypedSender<T> {
    Guarantee guarantee();

    /** Returns the name in logs and spans; the simple name of the class by default. */
    default String name() {
        return getClass().getSimpleName();
    }

    /**
     * Sends a value once; otherwise like {@link OutboxSender#send}.
     *
     * @param entry the entry of the value
     * @throws Exception if the outcome of the attempt is unknown
     */
    SendOutcome send(T value, OutboxEntry entry, Duration timeout) throws Exception;

    /** Queries the receiver; otherwise like {@link OutboxSender#query}. */
    default QueryOutcome query(T value, OutboxEntry entry, Duration timeout) throws Exception {
        throw new UnsupportedOperationException(this + " cannot query the receiver about an entry");
    }

    /**
     * Returns the sender for a worker. A payload that cannot be read, because its type is unknown here or not {@code T},
     * or it is of a newer version, is not sent but retried as {@link ReasonCode#INVALID_REQUEST}: another worker may read
     * it. It is aborted once its attempts or its age are used up, so workers are deployed before new types are enqueued.
     *
     * @throws IllegalArgumentException if the type, or one that it permits, is not registered
     */
    static <T> OutboxSender sender(TypeRegistry types, Class<T> type, TypedSender<T> typed) {
        types.requireRegistered(requireNonNull(type, "type"));
        return new TypedPayloads<>(types, type, requireNonNull(typed, "typed"));
    }
}
