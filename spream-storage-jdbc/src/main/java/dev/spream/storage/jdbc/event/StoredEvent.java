package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.RecordedEvent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Optional;

/**
 * An event as a row of the table, or a row that is no event: somebody else may have inserted it.
 *
 * @param slot the part of all aggregates that its aggregate belongs to: 0 to 255
 */
record StoredEvent(long position, int slot, Content content) {
    /** What {@link #read} needs. */
    static final String COLUMNS = """
            position, event_id, aggregate_id, event_version, event_type, event_data::text AS event_data, occurred_at,
            correlation_id, user_id, source_service, idempotency_key, slot""";

    /** What an event takes in memory beside its texts. */
    private static final long OVERHEAD = 500;

    /** What a row has. */
    sealed interface Content permits Known, NoEvent {
        /** About how many characters. */
        long length();
    }

    /** An event. */
    record Known(EventEnvelope event) implements Content {
        @Override
        public long length() {
            return event.eventData().length();
        }
    }

    static StoredEvent read(ResultSet row) throws SQLException {
        return new StoredEvent(row.getLong("position"), row.getInt("slot"), content(row));
    }

    private static Content content(ResultSet row) throws SQLException {
        try {
            return new Known(event(row));
        } catch (RuntimeException e) {
            return NoEvent.read(row, e);
        }
    }

    private static EventEnvelope event(ResultSet row) throws SQLException {
        EventMetadata metadata = new EventMetadata(
                row.getString("correlation_id"),
                row.getString("user_id"),
                row.getString("source_service"),
                Optional.ofNullable(row.getString("idempotency_key")));
        OffsetDateTime occurredAt = row.getObject("occurred_at", OffsetDateTime.class);
        if (occurredAt.equals(OffsetDateTime.MAX) || occurredAt.equals(OffsetDateTime.MIN)) {
            throw new IllegalArgumentException("occurredAt is infinite");
        }
        return new EventEnvelope(
                row.getString("event_id"),
                row.getString("aggregate_id"),
                row.getString("event_type"),
                row.getString("event_data"),
                row.getLong("event_version"),
                occurredAt.toInstant(),
                metadata);
    }

    /**
     * The event at its place.
     *
     * @throws StorageException if the row is none
     */
    RecordedEvent recorded() {
        return switch (content) {
            case Known known -> new RecordedEvent(position, known.event());
            case NoEvent none ->
                throw new StorageException(
                        ("reading position %d of the events failed: the row is no event (%s), and stays; feeds deliver what"
                                        + " comes after it, and this reads behind it from position %1$d")
                                .formatted(position, none.reason()),
                        false,
                        null);
        };
    }

    /** About how much memory it takes. */
    long bytes() {
        return OVERHEAD + content.length();
    }

    /** As a feed of that table delivers it: nothing comes twice from one feed. */
    FeedItem item(EventTable table) {
        return switch (content) {
            case Known known -> new FeedItem.Event(position, position, known.event());
            case NoEvent none -> none.item(position, table);
        };
    }
}
