package dev.spream.storage.jdbc.projection.internal;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Maps events to and from columns. */
public final class EventColumns {
    public static final String NAMES =
            "event_version, event_id, event_type, event_data, occurred_at, correlation_id, user_id,"
                    + " source_service, idempotency_key";

    /** The parameters of {@link #bind}. */
    public static final String ARRAYS =
            "?::bigint[], ?::text[], ?::text[], ?::text[], ?::numeric[], ?::text[], ?::text[], ?::text[], ?::text[]";

    /** The first of the times in years that both Java and PostgreSQL support. */
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

    private EventColumns() {}

    public static void bind(Parameters parameters, List<EventEnvelope> events) throws SQLException {
        parameters
                .numbers(events, EventEnvelope::eventVersion)
                .texts(events, EventEnvelope::eventId)
                .texts(events, EventEnvelope::eventType)
                .texts(events, EventEnvelope::eventData)
                .decimals(events, event -> JdbcTimestamps.exact(event.occurredAt()))
                .texts(events, event -> event.metadata().correlationId())
                .texts(events, event -> event.metadata().userId())
                .texts(events, event -> event.metadata().sourceService())
                .optionalTexts(events, event -> event.metadata().idempotencyKey());
    }

    public static EventEnvelope read(String aggregateId, ResultSet row) throws SQLException {
        return new EventEnvelope(
                row.getString("event_id"),
                aggregateId,
                row.getString("event_type"),
                row.getString("event_data"),
                row.getLong("event_version"),
                JdbcTimestamps.instant(row.getBigDecimal("occurred_at")),
                new EventMetadata(
                        row.getString("correlation_id"),
                        row.getString("user_id"),
                        row.getString("source_service"),
                        Optional.ofNullable(row.getString("idempotency_key"))));
    }

    /** Returns a time for display, limited to the range of the server's timestamps. */
    public static OffsetDateTime clock(Instant time) {
        return time.isBefore(FIRST)
                ? FIRST.atOffset(ZoneOffset.UTC)
                : JdbcTimestamps.clockCeiling(time.truncatedTo(ChronoUnit.MICROS));
    }
}
