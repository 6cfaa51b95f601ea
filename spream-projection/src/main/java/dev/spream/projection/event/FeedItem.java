package dev.spream.projection.event;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Map;

/** An item that a feed delivers: an event, or bytes that are no event. */
public sealed interface FeedItem {

    /** Returns the id of this delivery, unique within the feed. */
    long deliveryId();

    /**
     * An event.
     *
     * @param position the position in a positioned source; otherwise 0
     */
    record Event(long deliveryId, long position, EventEnvelope envelope) implements FeedItem {
        public Event {
            requireNonNull(envelope, "envelope");
        }
    }

    /**
     * An item of the source that cannot be decoded.
     *
     * @param origin a name for logs, such as a message id
     * @param bytes the bytes as received, read-only
     * @param attributes the attributes as received
     * @param reason the reason why it is not an event, without its contents
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

        /** Returns a separate view of the bytes to each caller. */
        @Override
        public ByteBuffer bytes() {
            return bytes.duplicate();
        }

        @Override
        public String toString() {
            return "item '%s' (%d bytes): %s".formatted(origin, bytes.remaining(), reason);
        }
    }
}
