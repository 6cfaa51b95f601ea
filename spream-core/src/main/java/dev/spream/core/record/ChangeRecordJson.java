package dev.spream.core.record;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Change records as JSON, in the shape of the documentation and of PostgreSQL-dialect databases. Reading is lenient where
 * servers differ: numbers may come as strings, absent and null lists are empty, unknown members are ignored.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#change_streams_record_format">Spanner:
 *     change streams record format</a>
 */
public final class ChangeRecordJson {
    private ChangeRecordJson() {}

    /**
     * Reads the object that a row of a {@code spanner.read_json_} function holds, which names its record: {@code
     * {"heartbeat_record": {…}}}. An empty object beside it counts as absent, and a record that names no child partitions
     * as none.
     *
     * @return the records of the row; one, according to the documentation
     * @throws IllegalArgumentException if it holds no record of a known kind
     */
    public static List<ChangeRecord> read(String json) {
        JsonObject row = JsonObject.of(json);
        Optional<JsonObject> change = record(row, "data_change_record");
        Optional<JsonObject> heartbeat = record(row, "heartbeat_record");
        Optional<JsonObject> children = record(row, "child_partitions_record");
        if (change.isEmpty() && heartbeat.isEmpty() && children.isEmpty()) {
            throw new IllegalArgumentException(
                    "no data change, heartbeat or child partitions record in a row with members "
                            + row.members().keySet());
        }
        List<ChangeRecord> records = new ArrayList<>(1);
        change.map(ChangeRecordJson::dataChange).ifPresent(records::add);
        heartbeat.map(ChangeRecordJson::heartbeat).ifPresent(records::add);
        children.flatMap(ChangeRecordJson::childPartitions).ifPresent(records::add);
        return records;
    }

    private static Optional<JsonObject> record(JsonObject row, String name) {
        return row.object(name).filter(record -> !record.isEmpty());
    }

    /** Reads what {@link #write} wrote: the data change record alone. */
    public static DataChangeRecord readDataChange(String json) {
        return dataChange(JsonObject.of(json));
    }

    /** Returns the data change record alone as one line of JSON, its fields in the documentation's order. */
    public static String write(DataChangeRecord change) {
        StringBuilder out = new StringBuilder(512);
        out.append("{\"commit_timestamp\":\"").append(change.commitTimestamp()).append('"');
        member(out, "record_sequence", change.recordSequence());
        member(out, "server_transaction_id", change.serverTransactionId());
        member(out, "is_last_record_in_transaction_in_partition", change.isLastRecordInTransactionInPartition());
        member(out, "table_name", change.tableName());
        out.append(",\"column_types\":[");
        String separator = "";
        for (ColumnType column : change.columnTypes()) {
            out.append(separator).append("{\"name\":");
            JsonText.appendString(out, column.name());
            out.append(",\"type\":");
            appendObject(out, column.type().json());
            member(out, "is_primary_key", column.isPrimaryKey());
            member(out, "ordinal_position", column.ordinalPosition());
            out.append('}');
            separator = ",";
        }
        out.append("],\"mods\":[");
        separator = "";
        for (Mod mod : change.mods()) {
            out.append(separator).append("{\"keys\":");
            appendObject(out, mod.keys());
            out.append(",\"new_values\":");
            appendObject(out, mod.newValues());
            out.append(",\"old_values\":");
            appendObject(out, mod.oldValues());
            out.append('}');
            separator = ",";
        }
        out.append(']');
        member(out, "mod_type", change.modTypeName());
        member(out, "value_capture_type", change.valueCaptureTypeName());
        member(out, "number_of_records_in_transaction", change.numberOfRecordsInTransaction());
        member(out, "number_of_partitions_in_transaction", change.numberOfPartitionsInTransaction());
        member(out, "transaction_tag", change.transactionTag());
        member(out, "is_system_transaction", change.isSystemTransaction());
        return out.append('}').toString();
    }

    private static void member(StringBuilder out, String name, Object value) {
        out.append(",\"").append(name).append("\":");
        JsonText.append(out, value);
    }

    /** Appends the text as received, unless it contains line breaks. */
    private static void appendObject(StringBuilder out, JsonObject object) {
        String text = object.toString();
        if (text.indexOf('\n') < 0 && text.indexOf('\r') < 0) {
            out.append(text);
        } else {
            JsonText.append(out, object.members());
        }
    }

    private static DataChangeRecord dataChange(JsonObject json) {
        return new DataChangeRecord(
                timestamp(json, "commit_timestamp"),
                required(json, "record_sequence"),
                required(json, "server_transaction_id"),
                bool(json, "is_last_record_in_transaction_in_partition"),
                required(json, "table_name"),
                json.objects("column_types").stream()
                        .map(ChangeRecordJson::columnType)
                        .toList(),
                json.objects("mods").stream().map(ChangeRecordJson::mod).toList(),
                json.string("mod_type").orElse(""),
                json.string("value_capture_type").orElse(""),
                json.int64("number_of_records_in_transaction").orElse(0),
                json.int64("number_of_partitions_in_transaction").orElse(0),
                json.string("transaction_tag").orElse(""),
                bool(json, "is_system_transaction"));
    }

    private static ColumnType columnType(JsonObject json) {
        return new ColumnType(
                required(json, "name"),
                new SpannerType(json.object("type").orElse(JsonObject.EMPTY)),
                bool(json, "is_primary_key"),
                json.int64("ordinal_position").orElse(0));
    }

    private static Mod mod(JsonObject json) {
        return new Mod(
                json.object("keys").orElse(JsonObject.EMPTY),
                json.object("new_values").orElse(JsonObject.EMPTY),
                json.object("old_values").orElse(JsonObject.EMPTY));
    }

    private static HeartbeatRecord heartbeat(JsonObject json) {
        return new HeartbeatRecord(timestamp(json, "timestamp"));
    }

    /** Returns empty for an empty list; a missing list is an error. */
    private static Optional<ChildPartitionsRecord> childPartitions(JsonObject json) {
        if (json.get("child_partitions") == null) {
            throw new IllegalArgumentException("a change record has no member child_partitions");
        }
        List<JsonObject> named = json.objects("child_partitions");
        if (json.get("child_partitions") instanceof List<?> all && all.size() > named.size()) {
            throw new IllegalArgumentException("a child partition is null; ignoring it would lose its changes");
        }
        List<ChildPartition> children = named.stream()
                .map(child -> ChildPartition.of(required(child, "token"), parents(child)))
                .toList();
        return children.isEmpty()
                ? Optional.empty()
                : Optional.of(new ChildPartitionsRecord(
                        timestamp(json, "start_timestamp"),
                        json.string("record_sequence").orElse(""),
                        children));
    }

    private static List<@Nullable String> parents(JsonObject child) {
        return switch (child.get("parent_partition_tokens")) {
            case null -> List.of();
            case List<?> tokens -> {
                List<@Nullable String> parents = new ArrayList<>(tokens.size());
                tokens.forEach(token -> parents.add(parent(token)));
                yield parents;
            }
            case Object other -> throw malformedParent(other);
        };
    }

    private static @Nullable String parent(@Nullable Object token) {
        return switch (token) {
            case null -> null;
            case String string -> string;
            case Object other -> throw malformedParent(other);
        };
    }

    /** Returns the error for a malformed parent; a child without its parents would be read too early. */
    private static IllegalArgumentException malformedParent(Object found) {
        return new IllegalArgumentException("parent_partition_tokens: a list of strings was expected, found "
                + found.getClass().getSimpleName());
    }

    private static String required(JsonObject json, String name) {
        return json.string(name)
                .orElseThrow(() -> new IllegalArgumentException("a change record has no member " + name));
    }

    private static boolean bool(JsonObject json, String name) {
        return json.get(name) instanceof Boolean bool && bool;
    }

    /** Timestamps end in Z or, from PostgreSQL-dialect databases, in an offset. */
    private static Instant timestamp(JsonObject json, String name) {
        String text = required(json, name);
        try {
            return text.endsWith("Z")
                    ? Instant.parse(text)
                    : OffsetDateTime.parse(text.replace(' ', 'T')).toInstant();
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("a change record has a malformed " + name, e);
        }
    }
}
