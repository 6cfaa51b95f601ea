package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.time.Instant;

/** A dead letter of a projection: an item that will never be applied, as the store keeps it. */
public sealed interface ProjectionDeadLetter {

    /** Returns its id, which is higher than those of earlier ones. */
    long id();

    /** Returns when it was stored, by the store's clock. */
    Instant keptAt();

    /** Returns the reason why it was not applied, without its contents. */
    String reason();

    /** An event that an operator has skipped. */
    record Skipped(long id, Instant keptAt, String reason, EventEnvelope event) implements ProjectionDeadLetter {
        public Skipped {
            requireNonNull(keptAt, "keptAt");
            requireNonNull(reason, "reason");
            requireNonNull(event, "event");
        }
    }

    /** An item of the source that is not an event. */
    record Undecodable(long id, Instant keptAt, FeedItem.Undecodable item) implements ProjectionDeadLetter {
        public Undecodable {
            requireNonNull(keptAt, "keptAt");
            requireNonNull(item, "item");
        }

        @Override
        public String reason() {
            return item.reason();
        }
    }
}
