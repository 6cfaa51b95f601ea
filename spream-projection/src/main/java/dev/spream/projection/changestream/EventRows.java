package dev.spream.projection.changestream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.projection.changestream.EventTableMapping.Column;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The decoder of changes of an events table into rows, by the rules of {@link ChangeStreamEventSource}. Safe for use by
 * many threads.
 */
record EventRows(EventTableMapping table, Set<String> eventColumns) {

    EventRows(EventTableMapping table) {
        this(table, Arrays.stream(Column.values()).map(table::nameOf).collect(Collectors.toSet()));
    }

    /** Returns whether it is a change of the events table. */
    boolean concerns(DataChangeRecord change) {
        return change.tableName().equals(table.name());
    }

    /** Returns the rows of a change in the order of delivery: undecodable rows first, then events by version. */
    List<EventRow> of(DataChangeRecord change) {
        if (!concerns(change)) {
            return List.of();
        }
        List<EventRow> rows = new ArrayList<>(change.mods().size());
        for (int i = 0; i < change.mods().size(); i++) {
            row(change, i).ifPresent(rows::add);
        }
        rows.sort(Comparator.comparingLong(EventRow::version));
        return rows;
    }

    private Optional<EventRow> row(DataChangeRecord change, int index) {
        return switch (change.modType()) {
            case INSERT -> Optional.of(inserted(change, index));
            case DELETE -> Optional.empty();
            case UPDATE -> updated(change, index);
            case UNKNOWN ->
                Optional.of(undecodable(
                        change,
                        index,
                        "the change of the row has the unknown mod type '%s'".formatted(change.modTypeName())));
        };
    }

    private EventRow inserted(DataChangeRecord change, int index) {
        try {
            EventEnvelope event = event(change, change.mods().get(index));
            return new EventRow(event.eventVersion(), id -> new FeedItem.Event(id, 0, event));
        } catch (IllegalArgumentException | DateTimeException e) {
            return undecodable(change, index, reason(e));
        }
    }

    /** Returns the message of a failure; that of a malformed time would quote the text. */
    private String reason(RuntimeException e) {
        return e instanceof DateTimeException
                ? "column %s has no timestamp".formatted(table.nameOf(Column.OCCURRED_AT))
                : String.valueOf(e.getMessage());
    }

    private EventEnvelope event(DataChangeRecord change, Mod mod) {
        return new EventEnvelope(
                required(mod, Column.EVENT_ID),
                required(mod, Column.AGGREGATE_ID),
                required(mod, Column.EVENT_TYPE),
                data(change, mod),
                version(mod),
                text(mod, Column.OCCURRED_AT)
                        .map(time -> OffsetDateTime.parse(time).toInstant())
                        .orElse(change.commitTimestamp()),
                new EventMetadata(
                        text(mod, Column.CORRELATION_ID).orElse(""),
                        text(mod, Column.USER_ID).orElse(""),
                        text(mod, Column.SOURCE_SERVICE).orElse(""),
                        text(mod, Column.IDEMPOTENCY_KEY)));
    }

    private String required(Mod mod, Column column) {
        return text(mod, column).orElseThrow(() -> missing(column));
    }

    private IllegalArgumentException missing(Column column) {
        return new IllegalArgumentException(
                "column %s is null, or not watched by the change stream".formatted(table.nameOf(column)));
    }

    private Optional<String> text(Mod mod, Column column) {
        String name = table.nameOf(column);
        return valuesWith(mod, name).string(name);
    }

    private static JsonObject valuesWith(Mod mod, String column) {
        return mod.keys().has(column) ? mod.keys() : mod.newValues();
    }

    private long version(Mod mod) {
        String name = table.nameOf(Column.EVENT_VERSION);
        try {
            return valuesWith(mod, name).int64(name).orElseThrow(() -> missing(Column.EVENT_VERSION));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("column %s has no whole number".formatted(name), e);
        }
    }

    /** Returns the data. Spanner sends the value of a JSON column as its text, which is valid. */
    private String data(DataChangeRecord change, Mod mod) {
        String name = table.nameOf(Column.EVENT_DATA);
        return switch (valuesWith(mod, name).get(name)) {
            case null -> throw missing(Column.EVENT_DATA);
            case String text -> isJson(change, name) ? text : checked(name, text);
            case Object value -> Json.text(value);
        };
    }

    private static boolean isJson(DataChangeRecord change, String column) {
        return change.columnTypes().stream()
                .filter(type -> type.name().equals(column))
                .map(ColumnType::type)
                .anyMatch(type -> type.code() == TypeCode.JSON);
    }

    private static String checked(String column, String text) {
        try {
            Json.parse(text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("column %s has no JSON: %s".formatted(column, e.getMessage()), e);
        }
    }

    private Optional<EventRow> updated(DataChangeRecord change, int index) {
        return modified(change, change.mods().get(index)).stream().anyMatch(eventColumns::contains)
                ? Optional.of(undecodable(change, index, "the row of an event was changed after it had been inserted"))
                : Optional.empty();
    }

    /** Returns the columns that were modified, or may have been. */
    private static Set<String> modified(DataChangeRecord change, Mod mod) {
        return change.valueCaptureType() == ValueCaptureType.NEW_ROW_AND_OLD_VALUES
                ? mod.oldValues().members().keySet()
                : mod.newValues().members().keySet();
    }

    private static EventRow undecodable(DataChangeRecord change, int index, String reason) {
        byte[] bytes = change.withOnly(change.mods().get(index)).toJson().getBytes(UTF_8);
        return new EventRow(
                0,
                id -> new FeedItem.Undecodable(
                        id,
                        change.identity() + "/" + index,
                        ByteBuffer.wrap(bytes),
                        Map.of(
                                "table", change.tableName(),
                                "mod_type", change.modTypeName(),
                                "commit_timestamp", change.commitTimestamp().toString()),
                        reason,
                        change.commitTimestamp()));
    }
}
