package dev.spream.projection.changestream;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.subscription.ScriptedSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes of an events table whose primary key is the aggregate's id and the version. */
final class EventChanges {
    static final String TABLE = "Events";
    static final EventTableMapping EVENTS = EventTableMapping.named(TABLE);

    private EventChanges() {}

    static String eventId(String aggregate, long version) {
        return aggregate + "-" + version;
    }

    /** A row with all columns. */
    static Mod row(String aggregate, long version) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("event_id", eventId(aggregate, version));
        values.put("event_type", "Added");
        values.put("event_data", "{\"n\": %d}".formatted(version));
        values.put("occurred_at", "2026-01-01T09:00:00.123456789Z");
        values.put("correlation_id", "c-1");
        values.put("user_id", "u-1");
        values.put("source_service", "shop");
        values.put("idempotency_key", "k-1");
        return mod(aggregate, version, values);
    }

    /** The row of an event. */
    static Mod row(EventEnvelope event) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("event_id", event.eventId());
        values.put("event_type", event.eventType());
        values.put("event_data", event.eventData());
        values.put("occurred_at", event.occurredAt().toString());
        values.put("correlation_id", event.metadata().correlationId());
        values.put("user_id", event.metadata().userId());
        values.put("source_service", event.metadata().sourceService());
        values.put("idempotency_key", event.metadata().idempotencyKey().orElse(null));
        return mod(event.aggregateId(), event.eventVersion(), values);
    }

    /** A row with that value in a column, in place of what it has. */
    static Mod rowWith(String column, @Nullable Object value) {
        Map<String, @Nullable Object> values =
                new LinkedHashMap<>(row("a", 1).newValues().members());
        values.put(column, value);
        return mod("a", 1, values);
    }

    private static Mod mod(String aggregate, long version, Map<String, @Nullable Object> values) {
        return new Mod(
                JsonObject.of(Map.of("aggregate_id", aggregate, "event_version", Long.toString(version))),
                JsonObject.of(values),
                JsonObject.EMPTY);
    }

    /** A transaction that inserts these rows, committed that many seconds after the stream's start. */
    static DataChangeRecord inserted(long second, Mod... rows) {
        return change(second, TABLE, ModType.INSERT, ValueCaptureType.OLD_AND_NEW_VALUES, TypeCode.JSON, rows);
    }

    static DataChangeRecord change(
            long second, String table, ModType type, ValueCaptureType captured, TypeCode dataType, Mod... rows) {
        return new DataChangeRecord(
                ScriptedSource.at(second),
                "00000000",
                "tx-" + second,
                true,
                table,
                List.of(new ColumnType("event_data", SpannerType.of(dataType), false, 4)),
                Arrays.asList(rows),
                type.name(),
                captured.name(),
                1,
                1,
                "",
                false);
    }
}
