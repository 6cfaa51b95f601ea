package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;

/** An item that a feed delivers. */
public sealed interface FeedItem {

    /** Tells this delivery from every other of the feed. */
    long deliveryId();

    /**
     * An event.
     *
     * @param position in a positioned source; otherwise 0
     */
    record Event(long deliveryId, long position, EventEnvelope envelope) implements FeedItem {
        public Event {
            requireNonNull(envelope, "envelope");
        }
    }

    /**
     * An item of the source that cannot be decoded.
     *
     * @param origin names it for people, such as a message id
     * @param bytes as they came, read-only
     * @param attributes that came with them
     * @param reason why it is none; without its contents
     */
    record Undecodable(
            long deliveryId, String origin, ByteBuffer bytes, Map<String, String> attributes, String reason, Instant at)
            implements FeedItem {
        public Undecodable {
            requireNonNull(origin, "origin");
            bytes = bytes.asReadOnlyBuffer();
            attributes = Map.copyOf(attributes);
            requireNonNull(reason, "reason");
            requireNonNull(at, "at");
        }

        /** A view of its own for each caller. */
        @Override
        public ByteBuffer bytes() {
            return bytes.duplicate();
        }

        @Override
        public String toString() {
            return "'%s' (%d bytes), which is no event: %s".formatted(origin, bytes.remaining(), reason);
        }
    }
}
