package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.sql.Values.string;
import static java.util.Objects.requireNonNull;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.protobuf.Value;
import com.google.spanner.v1.ResultSetMetadata;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.Type;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.Values;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Encodes the records of a stream with immutable key ranges: in PostgreSQL as a JSON object with one of three keys, in
 * GoogleSQL as the same contents in the type that {@link ChangeRecordType} declares.
 */
final class JsonRecordEncoder implements RecordEncoder {
    private final boolean postgres;
    private final ResultSetMetadata metadata;

    // Consecutive records mostly have the same columns, and share one description of them.
    private volatile @Nullable ColumnTypes lastColumnTypes;
    private volatile @Nullable Encoded lastEncoded;

    private record ColumnTypes(TableLayout layout, List<Column> columns, JsonArray json) {}

    private record Encoded(JsonElement json, Value value) {}

    JsonRecordEncoder(Dialect dialect, String function) {
        this.postgres = dialect == Dialect.POSTGRESQL;
        this.metadata = postgres ? ChangeRecordType.postgresql(function) : ChangeRecordType.GOOGLE_STANDARD_SQL;
    }

    @Override
    public ResultSetMetadata metadata() {
        return metadata;
    }

    @Override
    public Value encode(StreamRecord record) {
        return switch (record) {
            case DataRecord data -> data(data);
            case StreamRecord.Start start -> children(start);
            case StreamRecord.Event event -> throw unexpected(event);
            case StreamRecord.End end -> throw unexpected(end);
        };
    }

    private static IllegalArgumentException unexpected(StreamRecord record) {
        return new IllegalArgumentException("a stream with immutable key ranges has no such record: " + record);
    }

    private Value data(DataRecord record) {
        DataRecord.Transaction transaction = record.transaction();
        JsonObject json = new JsonObject();
        json.addProperty("commit_timestamp", transaction.commitTimestamp().toString());
        json.addProperty("record_sequence", record.sequenceText());
        json.addProperty("server_transaction_id", transaction.id());
        json.addProperty("is_last_record_in_transaction_in_partition", record.lastInPartition());
        json.addProperty("table_name", record.layout().table().name());
        json.add("column_types", columnTypes(record));
        json.add("mods", array(record.changes(), change -> mod(record, change)));
        json.addProperty("mod_type", record.kind().name());
        json.addProperty("value_capture_type", transaction.valueCapture().name());
        json.addProperty("number_of_records_in_transaction", transaction.records());
        json.addProperty("number_of_partitions_in_transaction", transaction.partitions());
        json.addProperty("transaction_tag", transaction.tag());
        json.addProperty("is_system_transaction", transaction.system());
        return row("data_change_record", json);
    }

    private JsonArray columnTypes(DataRecord record) {
        ColumnTypes last = lastColumnTypes;
        if (last == null
                || !last.layout().equals(record.layout())
                || !last.columns().equals(record.columns())) {
            JsonArray json = array(record.columns(), column -> columnType(record, column));
            last = new ColumnTypes(record.layout(), record.columns(), json);
            lastColumnTypes = last;
        }
        return last.json();
    }

    private static JsonObject columnType(DataRecord record, Column column) {
        JsonObject json = new JsonObject();
        json.addProperty("name", column.name());
        json.add("type", RecordJson.type(column.type()));
        json.addProperty("is_primary_key", record.layout().isKey(column));
        json.addProperty("ordinal_position", column.ordinalPosition());
        return json;
    }

    private JsonObject mod(DataRecord record, RowChange change) {
        JsonObject json = new JsonObject();
        json.add("keys", keys(record.layout().keys(), change));
        json.add("new_values", RecordJson.row(record.newColumns(change), change.after()));
        json.add("old_values", RecordJson.row(record.oldColumns(change), change.before()));
        return json;
    }

    /**
     * Encodes the keys. In GoogleSQL, those of a table without key columns are the JSON value null, as in Google's
     * emulator.
     */
    private JsonElement keys(List<Column> keys, RowChange change) {
        return keys.isEmpty() && !postgres ? JsonNull.INSTANCE : RecordJson.row(keys, change.row());
    }

    @Override
    public Value heartbeat(Instant timestamp) {
        JsonObject json = new JsonObject();
        json.addProperty("timestamp", timestamp.toString());
        return row("heartbeat_record", json);
    }

    private Value children(StreamRecord.Start record) {
        JsonObject json = new JsonObject();
        json.addProperty("start_timestamp", record.timestamp().toString());
        json.addProperty("record_sequence", record.sequenceText());
        json.add("child_partitions", array(record.children(), JsonRecordEncoder::child));
        return row("child_partitions_record", json);
    }

    private static JsonObject child(StreamRecord.Child child) {
        JsonArray parents = new JsonArray();
        child.parents().forEach(parents::add);
        JsonObject json = new JsonObject();
        json.addProperty("token", child.token());
        json.add("parent_partition_tokens", parents);
        return json;
    }

    private static <T> JsonArray array(List<T> elements, Function<T, JsonElement> json) {
        JsonArray array = new JsonArray();
        elements.forEach(element -> array.add(json.apply(element)));
        return array;
    }

    private Value row(String kind, JsonObject record) {
        JsonObject json = new JsonObject();
        json.add(kind, record);
        return postgres
                ? string(json.toString())
                : value(metadata.getRowType().getFields(0).getType(), json);
    }

    private Value value(Type type, @Nullable JsonElement json) {
        return switch (type.getCode()) {
            case ARRAY -> elements(type.getArrayElementType(), json);
            case STRUCT -> struct(type.getStructType(), requireNonNull(json).getAsJsonObject());
            case BOOL ->
                Value.newBuilder()
                        .setBoolValue(requireNonNull(json).getAsBoolean())
                        .build();
            case JSON -> string(requireNonNull(json).toString());
            default -> string(requireNonNull(json).getAsString());
        };
    }

    /**
     * Encodes an optional record: an absent one is an array without elements; in JSON, a present one has no array
     * around it.
     */
    private Value elements(Type type, @Nullable JsonElement json) {
        List<Value> elements = new ArrayList<>();
        if (json instanceof JsonArray array) {
            array.forEach(element -> elements.add(value(type, element)));
        } else if (json != null) {
            elements.add(value(type, json));
        }
        return Values.list(elements);
    }

    private Value struct(StructType type, JsonObject json) {
        List<Value> fields = new ArrayList<>();
        for (StructType.Field field : type.getFieldsList()) {
            JsonElement value = json.get(field.getName());
            fields.add(
                    field.getName().equals("column_types")
                            ? shared(field.getType(), value)
                            : value(field.getType(), value));
        }
        return Values.list(fields);
    }

    @SuppressWarnings("ReferenceEquality") // equal values are mostly the same instance
    private Value shared(Type type, JsonElement json) {
        Encoded last = lastEncoded;
        if (last == null || last.json() != json) {
            last = new Encoded(json, value(type, json));
            lastEncoded = last;
        }
        return last.value();
    }
}
