package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import dev.spream.core.serialization.SerializationException;
import dev.spream.core.serialization.SerializedValue;
import dev.spream.core.serialization.TypeRegistry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The events of a class, written as data of events and read from them by a registry of types. The class is usually a
 * sealed interface whose records are the events, so that a {@code switch} over it is complete.
 *
 * <p>Immutable, and safe for use by many threads.
 *
 * @param <E> the class of the events
 */
public final class TypedEvents<E> {
    private final Class<E> type;
    private final TypeRegistry registry;
    private final boolean skipsUnknown;

    private TypedEvents(Class<E> type, TypeRegistry registry, boolean skipsUnknown) {
        this.type = requireNonNull(type, "type");
        this.registry = requireNonNull(registry, "registry");
        this.skipsUnknown = skipsUnknown;
        registry.requireRegistered(type);
    }

    /**
     * Returns the events of a class. An event of a type that is not registered cannot be read, so that a projection parks
     * its aggregate.
     *
     * @param registry the types of all events of the source, those of other classes included
     * @throws IllegalArgumentException if the class is sealed, and a class that it permits is not registered
     */
    public static <E> TypedEvents<E> of(Class<E> type, TypeRegistry registry) {
        return new TypedEvents<>(type, registry, false);
    }

    /** Returns the same, but events of types that are not registered only count as seen. */
    public TypedEvents<E> skippingUnknownTypes() {
        return new TypedEvents<>(type, registry, true);
    }

    /**
     * Returns whether events of this type are to be read: those of this class, and those of unknown types unless they
     * are skipped.
     */
    public boolean handles(String eventType) {
        return registry.classOf(eventType).map(type::isAssignableFrom).orElse(!skipsUnknown);
    }

    /**
     * Returns the event that the data are.
     *
     * @throws SerializationException if it is of an unknown type, of a newer version, malformed, or of another class
     */
    public E read(EventEnvelope envelope) {
        Object event = registry.deserialize(new SerializedValue(envelope.eventType(), envelope.eventData()));
        if (!type.isInstance(event)) {
            throw new SerializationException(
                    "%s is a %s, not a %s".formatted(envelope, event.getClass().getName(), type.getName()));
        }
        return type.cast(event);
    }

    /**
     * Returns events to append, with random ids, at the current time and without metadata. To repeat an append, pass the
     * same list again.
     */
    @SafeVarargs
    public final List<NewEvent> newEvents(E... events) {
        List<NewEvent> written = new ArrayList<>();
        for (E event : events) {
            written.add(newEvent(UUID.randomUUID().toString(), event, Instant.now(), EventMetadata.NONE));
        }
        return written;
    }

    /**
     * Returns an event to append.
     *
     * @throws IllegalArgumentException if its class is not registered
     * @throws SerializationException if it cannot be written
     */
    public NewEvent newEvent(String eventId, E event, Instant occurredAt, EventMetadata metadata) {
        SerializedValue value = registry.serialize(event);
        return new NewEvent(eventId, value.type(), value.json(), occurredAt, metadata);
    }
}
