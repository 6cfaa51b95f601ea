package dev.spream.storage.jdbc.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNullElse;

import dev.spream.core.StorageException;
import dev.spream.core.record.Json;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table: an event, or a malformed row that another program inserted.
 *
 * @param slot the hash partition of its aggregate: 0 to 255
 */
record StoredEvent(long position, int slot, Content content) {
    /** The columns; texts that are usually empty are null then, which the server sends and the driver reads in less time. */
    static final String COLUMNS = """
            position, event_id, aggregate_id, event_version, event_type, event_data, occurred_at,
            nullif(correlation_id, '') AS correlation_id, nullif(user_id, '') AS user_id,
            nullif(source_service, '') AS source_service, idempotency_key, slot""";

    /** The memory of an event without its texts, in bytes. */
    private static final long OVERHEAD = 500;

    sealed interface Content permits Known, NoEvent {
        /** Returns the approximate number of characters. */
        long length();
    }

    record Known(EventEnvelope event) implements Content {
        @Override
        public long length() {
            return event.eventData().length();
        }
    }

    /**
     * The content of a row that is not a valid event.
     *
     * @param json its columns
     * @param reason why it is not valid
     */
    record NoEvent(String json, String reason) implements Content {

        static NoEvent read(ResultSet row, RuntimeException failure) throws SQLException {
            Map<String, @Nullable Object> columns = new LinkedHashMap<>();
            for (String column : new String[] {"event_id", "aggregate_id", "event_type", "occurred_at"}) {
                columns.put(column, row.getString(column));
            }
            for (String column : new String[] {"correlation_id", "user_id", "source_service"}) {
                columns.put(column, requireNonNullElse(row.getString(column), ""));
            }
            columns.put("idempotency_key", row.getString("idempotency_key"));
            columns.put("event_version", row.getLong("event_version"));
            String before = Json.text(columns);
            return new NoEvent(
                    before.substring(0, before.length() - 1) + ",\"event_data\":" + row.getString("event_data") + "}",
                    requireNonNullElse(failure.getMessage(), failure.getClass().getSimpleName()));
        }

        @Override
        public long length() {
            return json.length();
        }

        FeedItem.Undecodable item(long position, EventTable table) {
            return new FeedItem.Undecodable(
                    position,
                    "position %d of %s".formatted(position, table),
                    ByteBuffer.wrap(json.getBytes(UTF_8)),
                    Map.of(),
                    reason,
                    Instant.EPOCH);
        }
    }

    /** Reads a row that begins with {@link #COLUMNS}, by their numbers: finding a name takes longer than reading a value. */
    static StoredEvent read(ResultSet row) throws SQLException {
        return new StoredEvent(row.getLong(1), row.getInt(12), content(row));
    }

    private static Content content(ResultSet row) throws SQLException {
        try {
            return new Known(event(row));
        } catch (RuntimeException e) {
            return NoEvent.read(row, e);
        }
    }

    private static EventEnvelope event(ResultSet row) throws SQLException {
        OffsetDateTime occurredAt = row.getObject(7, OffsetDateTime.class);
        if (occurredAt.equals(OffsetDateTime.MAX) || occurredAt.equals(OffsetDateTime.MIN)) {
            throw new IllegalArgumentException("occurredAt is infinite");
        }
        return new EventEnvelope(
                row.getString(2),
                row.getString(3),
                row.getString(5),
                row.getString(6),
                row.getLong(4),
                occurredAt.toInstant(),
                metadata(row));
    }

    private static EventMetadata metadata(ResultSet row) throws SQLException {
        String correlationId = row.getString(8);
        String userId = row.getString(9);
        String sourceService = row.getString(10);
        String idempotencyKey = row.getString(11);
        return correlationId == null && userId == null && sourceService == null && idempotencyKey == null
                ? EventMetadata.NONE
                : new EventMetadata(
                        requireNonNullElse(correlationId, ""),
                        requireNonNullElse(userId, ""),
                        requireNonNullElse(sourceService, ""),
                        Optional.ofNullable(idempotencyKey));
    }

    /** @throws StorageException if the row is not a valid event */
    RecordedEvent recorded() {
        return switch (content) {
            case Known known -> new RecordedEvent(position, known.event());
            case NoEvent none ->
                throw SqlErrors.permanent(
                        ("reading position %d of the events failed: the row is not an event (%s); it stays; feeds skip"
                                        + " it, and a read from position %1$d continues after it")
                                .formatted(position, none.reason()));
        };
    }

    /** Returns the approximate memory of the event, in bytes. */
    long bytes() {
        return OVERHEAD + content.length();
    }

    /** Returns the event as a feed of that table delivers it; a feed delivers each event once. */
    FeedItem item(EventTable table) {
        return switch (content) {
            case Known known -> new FeedItem.Event(position, position, known.event());
            case NoEvent none -> none.item(position, table);
        };
    }
}
