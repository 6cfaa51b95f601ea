package dev.spream.storage.jdbc.event;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.record.Json;
import dev.spream.projection.event.FeedItem;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a row has that cannot be an event.
 *
 * @param json its columns
 * @param reason why it is none
 */
record NoEvent(String json, String reason) implements StoredEvent.Content {

    static NoEvent read(ResultSet row, RuntimeException failure) throws SQLException {
        Map<String, @Nullable Object> columns = new LinkedHashMap<>();
        for (String column : new String[] {
            "event_id",
            "aggregate_id",
            "event_type",
            "occurred_at",
            "correlation_id",
            "user_id",
            "source_service",
            "idempotency_key"
        }) {
            columns.put(column, row.getString(column));
        }
        columns.put("event_version", row.getLong("event_version"));
        String before = Json.text(columns);
        return new NoEvent(
                before.substring(0, before.length() - 1) + ",\"event_data\":" + row.getString("event_data") + "}",
                Objects.requireNonNullElse(
                        failure.getMessage(), failure.getClass().getSimpleName()));
    }

    @Override
    public long length() {
        return json.length();
    }

    /** What a feed delivers instead of an event. */
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
