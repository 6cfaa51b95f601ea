package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

/**
 * An event at its place in a store.
 *
 * @param position a number greater than the positions of all earlier events of the aggregate, and of all events that
 *     readers received before it; 1 or more, with gaps
 */
public record RecordedEvent(long position, EventEnvelope event) {
    public RecordedEvent {
        requireNonNull(event, "event");
        if (position < 1) {
            throw new IllegalArgumentException(
                    "position of %s is %d; positions count from 1".formatted(event, position));
        }
    }
}
