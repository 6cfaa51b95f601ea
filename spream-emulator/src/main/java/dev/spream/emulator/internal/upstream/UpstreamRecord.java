package dev.spream.emulator.internal.upstream;

import static java.util.Comparator.comparing;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowChange.Kind;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.Values;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A data change record of the other server.
 *
 * @param transactionId the number of its transaction, unique in the database
 * @param sequence its place in its transaction
 * @param tableName the table's name, with its schema if that is not the default one
 * @param columns the listed columns, key columns included, in declared order
 * @param keys the names of the key columns
 * @param valueCaptureType that of its stream at the commit
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#data-change-records">data change records</a>
 */
record UpstreamRecord(
        Instant commitTimestamp,
        long transactionId,
        String sequence,
        String tableName,
        List<Column> columns,
        List<String> keys,
        String valueCaptureType,
        Kind kind,
        List<Mod> mods) {
    static final Comparator<UpstreamRecord> COMMIT_ORDER = comparing(UpstreamRecord::commitTimestamp)
            .thenComparingLong(UpstreamRecord::transactionId)
            .thenComparing(UpstreamRecord::sequence);

    /** The change of one row: the recorded values, key columns included in both. */
    record Mod(Map<String, Value> before, Map<String, Value> after, Set<String> written) {}

    static UpstreamRecord of(JsonObject json) {
        List<Column> columns = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        for (JsonElement each : json.getAsJsonArray("column_types")) {
            JsonObject column = each.getAsJsonObject();
            String name = column.get("name").getAsString();
            columns.add(new Column(
                    name,
                    type(column.getAsJsonObject("type")),
                    column.get("ordinal_position").getAsInt(),
                    false,
                    false));
            if (column.get("is_primary_key").getAsBoolean()) {
                keys.add(name);
            }
        }
        Map<String, Type> types = new LinkedHashMap<>();
        columns.forEach(column -> types.put(column.name(), column.type()));
        List<Mod> mods = new ArrayList<>();
        String valueCaptureType = json.get("value_capture_type").getAsString();
        boolean oldValuesAndRow = valueCaptureType.equals("NEW_ROW_AND_OLD_VALUES");
        json.getAsJsonArray("mods").forEach(mod -> mods.add(mod(mod.getAsJsonObject(), types, oldValuesAndRow)));
        return new UpstreamRecord(
                instant(json.get("commit_timestamp")),
                json.get("server_transaction_id").getAsLong(),
                json.get("record_sequence").getAsString(),
                json.get("table_name").getAsString(),
                columns,
                keys,
                valueCaptureType,
                Kind.valueOf(json.get("mod_type").getAsString()),
                mods);
    }

    static Instant instant(JsonElement json) {
        return OffsetDateTime.parse(json.getAsString()).toInstant();
    }

    private static Type type(JsonObject json) {
        String code = json.get("code").getAsString();
        if (Arrays.stream(TypeCode.values()).noneMatch(known -> known.name().equals(code))) {
            // Google's emulator has the name of a message or an enum in place of the code, and no values.
            return Type.newBuilder()
                    .setCode(TypeCode.PROTO)
                    .setProtoTypeFqn(code)
                    .build();
        }
        Type.Builder type = Type.newBuilder().setCode(TypeCode.valueOf(code));
        if (json.has("array_element_type")) {
            type.setArrayElementType(type(json.getAsJsonObject("array_element_type")));
        }
        if (json.has("type_annotation")) {
            type.setTypeAnnotation(
                    TypeAnnotationCode.valueOf(json.get("type_annotation").getAsString()));
        }
        if (json.has("proto_type_fqn")) {
            type.setProtoTypeFqn(json.get("proto_type_fqn").getAsString());
        }
        return type.build();
    }

    /**
     * Reads a mod. An update has the old values of the columns that the transaction wrote, or with other value capture
     * types their new values; with NEW_ROW one cannot tell which were written.
     */
    private static Mod mod(JsonObject json, Map<String, Type> types, boolean oldValuesAndRow) {
        Map<String, Value> keys = row(json.get("keys"), types);
        Map<String, Value> before = row(json.get("old_values"), types);
        Map<String, Value> after = row(json.get("new_values"), types);
        Set<String> written = Set.copyOf(oldValuesAndRow || !before.isEmpty() ? before.keySet() : after.keySet());
        before.putAll(keys);
        after.putAll(keys);
        return new Mod(before, after, written);
    }

    private static Map<String, Value> row(JsonElement json, Map<String, Type> types) {
        Map<String, Value> row = new LinkedHashMap<>();
        if (json.isJsonObject()) {
            JsonObject object = json.getAsJsonObject();
            types.forEach((column, type) -> {
                if (object.has(column)) {
                    row.put(column, value(object.get(column), type));
                }
            });
        }
        return row;
    }

    private static Value value(JsonElement json, Type type) {
        if (json.isJsonNull()) {
            return Values.NULL;
        }
        return switch (type.getCode()) {
            case BOOL -> Value.newBuilder().setBoolValue(json.getAsBoolean()).build();
            case FLOAT32, FLOAT64 ->
                json.getAsJsonPrimitive().isNumber()
                        ? Value.newBuilder().setNumberValue(json.getAsDouble()).build()
                        : Values.string(json.getAsString());
            case ARRAY -> array(json.getAsJsonArray(), type.getArrayElementType());
            default -> Values.string(json.isJsonPrimitive() ? json.getAsString() : json.toString());
        };
    }

    private static Value array(JsonArray json, Type element) {
        List<Value> values = new ArrayList<>();
        json.forEach(each -> values.add(value(each, element)));
        return Values.list(values);
    }

    /** Returns the changes of the rows, with the key's columns in this order. */
    List<RowChange> changes(List<String> keyOrder) {
        Table table = new Table(tableName, columns, keyOrder);
        return mods.stream()
                .map(mod -> new RowChange(
                        table,
                        kind,
                        kind == Kind.INSERT ? Map.of() : mod.before(),
                        kind == Kind.DELETE ? Map.of() : mod.after(),
                        mod.written()))
                .toList();
    }

    UpstreamRecord with(List<Mod> others) {
        return new UpstreamRecord(
                commitTimestamp, transactionId, sequence, tableName, columns, keys, valueCaptureType, kind, others);
    }
}
