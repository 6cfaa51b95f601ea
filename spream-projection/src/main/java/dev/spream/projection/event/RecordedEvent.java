package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

/**
 * An event at its place in a store.
 *
 * @param position greater than that of every event of the same aggregate before it, and of everything that a reader was given
 *     before it; 1 or more, with gaps
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
