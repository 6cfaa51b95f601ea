package dev.spream.storage.jdbc.projection.internal;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Events as rows have them. */
public final class EventColumns {
    public static final String NAMES =
            "event_version, event_id, event_type, event_data, occurred_at, correlation_id, user_id,"
                    + " source_service, idempotency_key";

    /** What {@link #bind} binds. */
    public static final String ARRAYS =
            "?::bigint[], ?::text[], ?::text[], ?::text[], ?::numeric[], ?::text[], ?::text[], ?::text[], ?::text[]";

    /** What both Java and PostgreSQL have a year for. */
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

    private EventColumns() {}

    public static void bind(Parameters parameters, List<EventEnvelope> events) throws SQLException {
        parameters
                .numbers(each(events, EventEnvelope::eventVersion))
                .texts(each(events, EventEnvelope::eventId))
                .texts(each(events, EventEnvelope::eventType))
                .texts(each(events, EventEnvelope::eventData))
                .decimals(each(events, EventColumns::occurredAt))
                .texts(each(events, event -> event.metadata().correlationId()))
                .texts(each(events, event -> event.metadata().userId()))
                .texts(each(events, event -> event.metadata().sourceService()))
                .optionalTexts(each(events, event -> event.metadata().idempotencyKey()));
    }

    public static BigDecimal exact(Instant time) {
        return JdbcTimestamps.exact(time);
    }

    private static BigDecimal occurredAt(EventEnvelope event) {
        return exact(event.occurredAt());
    }

    private static <T> List<T> each(List<EventEnvelope> events, Function<EventEnvelope, T> member) {
        return events.stream().map(member).toList();
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

    /** A time for people, within what the server's timestamps hold. */
    public static OffsetDateTime clock(Instant time) {
        return time.isBefore(FIRST)
                ? FIRST.atOffset(ZoneOffset.UTC)
                : JdbcTimestamps.clockCeiling(time.truncatedTo(ChronoUnit.MICROS));
    }

    /** PostgreSQL holds any character but this. */
    public static String storable(String text) {
        return text.replace("\0", "");
    }
}
