package dev.spream.storage.jdbc.event;

import dev.spream.core.event.EventEnvelope;
import dev.spream.core.event.EventMetadata;
import dev.spream.core.event.FeedItem;
import dev.spream.core.event.RecordedEvent;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * An event as a row of the table.
 *
 * @param slot the part of all aggregates that its aggregate belongs to: 0 to 255
 */
record StoredEvent(RecordedEvent recorded, int slot) {
    /** What {@link #read} needs. */
    static final String COLUMNS = """
            position, event_id, aggregate_id, event_version, event_type, event_data::text AS event_data, occurred_at,
            correlation_id, user_id, source_service, idempotency_key, slot""";

    /** What an event takes in memory beside its texts. */
    private static final long OVERHEAD = 500;

    static StoredEvent read(ResultSet row) throws SQLException {
        EventMetadata metadata = new EventMetadata(
                row.getString("correlation_id"),
                row.getString("user_id"),
                row.getString("source_service"),
                Optional.ofNullable(row.getString("idempotency_key")));
        EventEnvelope event = new EventEnvelope(
                row.getString("event_id"),
                row.getString("aggregate_id"),
                row.getString("event_type"),
                row.getString("event_data"),
                row.getLong("event_version"),
                JdbcTimestamps.clock(row, "occurred_at"),
                metadata);
        return new StoredEvent(new RecordedEvent(row.getLong("position"), event), row.getInt("slot"));
    }

    long position() {
        return recorded.position();
    }

    EventEnvelope event() {
        return recorded.event();
    }

    /** About how much memory it takes. */
    long bytes() {
        return OVERHEAD + event().eventData().length();
    }

    /** As a feed delivers it: no event comes twice from one feed. */
    FeedItem.Event item() {
        return new FeedItem.Event(position(), position(), event());
    }
}
