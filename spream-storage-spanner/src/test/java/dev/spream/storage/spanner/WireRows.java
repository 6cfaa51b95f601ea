package dev.spream.storage.spanner;

import com.google.cloud.spanner.Dialect;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.ResultSetMetadata;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.record.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Change records as Spanner puts them on the wire, made from the JSON of the documentation: as a JSON value a row for
 * PostgreSQL, as an array of structs for GoogleSQL.
 */
final class WireRows {
    private static final Type STRING = type(TypeCode.STRING);
    private static final Type INT64 = type(TypeCode.INT64);
    private static final Type BOOL = type(TypeCode.BOOL);
    private static final Type TIMESTAMP = type(TypeCode.TIMESTAMP);
    private static final Type JSON = type(TypeCode.JSON);

    /** The type of the column ChangeRecord, as the documentation has it. */
    static final Type CHANGE_RECORD = arrayOfStruct(
            field(
                    "data_change_record",
                    arrayOfStruct(
                            field("commit_timestamp", TIMESTAMP),
                            field("record_sequence", STRING),
                            field("server_transaction_id", STRING),
                            field("is_last_record_in_transaction_in_partition", BOOL),
                            field("table_name", STRING),
                            field(
                                    "column_types",
                                    arrayOfStruct(
                                            field("name", STRING),
                                            field("type", JSON),
                                            field("is_primary_key", BOOL),
                                            field("ordinal_position", INT64))),
                            field(
                                    "mods",
                                    arrayOfStruct(
                                            field("keys", JSON), field("new_values", JSON), field("old_values", JSON))),
                            field("mod_type", STRING),
                            field("value_capture_type", STRING),
                            field("number_of_records_in_transaction", INT64),
                            field("number_of_partitions_in_transaction", INT64),
                            field("transaction_tag", STRING),
                            field("is_system_transaction", BOOL))),
            field("heartbeat_record", arrayOfStruct(field("timestamp", TIMESTAMP))),
            field(
                    "child_partitions_record",
                    arrayOfStruct(
                            field("start_timestamp", TIMESTAMP),
                            field("record_sequence", STRING),
                            field(
                                    "child_partitions",
                                    arrayOfStruct(
                                            field("token", STRING),
                                            field("parent_partition_tokens", array(STRING)))))));

    private WireRows() {}

    /** A result of one row a record. */
    static ResultSet resultSet(Dialect dialect, List<JsonObject> records) {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL ->
                resultSet(
                        "ChangeRecord",
                        CHANGE_RECORD,
                        records.stream()
                                .map(record -> encode(CHANGE_RECORD, List.of(oneOfThree(record))))
                                .toList());
            case POSTGRESQL ->
                resultSet(
                        "read_json_SingersNameStream",
                        jsonb(),
                        records.stream()
                                .map(record -> string(record.toString()))
                                .toList());
        };
    }

    /** A result of one column. */
    static ResultSet resultSet(String column, Type type, List<Value> values) {
        var rows = ResultSet.newBuilder()
                .setMetadata(ResultSetMetadata.newBuilder()
                        .setRowType(StructType.newBuilder().addFields(field(column, type))));
        values.forEach(value -> rows.addRows(ListValue.newBuilder().addValues(value)));
        return rows.build();
    }

    /** The struct's three fields are arrays, of which one has one element. */
    private static Map<String, Object> oneOfThree(JsonObject record) {
        var member = record.members().entrySet().iterator().next();
        return Map.of(member.getKey(), List.of(member.getValue()));
    }

    private static Value encode(Type type, @Nullable Object value) {
        if (value == null) {
            return Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();
        }
        return switch (type.getCode()) {
            case ARRAY -> list((List<?>) value, type.getArrayElementType());
            case STRUCT -> struct((Map<?, ?>) value, type.getStructType());
            case BOOL -> Value.newBuilder().setBoolValue((Boolean) value).build();
            case JSON -> string(json((Map<?, ?>) value));
            default -> string(value.toString());
        };
    }

    private static Value list(List<?> elements, Type type) {
        ListValue.Builder list = ListValue.newBuilder();
        elements.forEach(element -> list.addValues(encode(type, element)));
        return Value.newBuilder().setListValue(list).build();
    }

    private static Value struct(Map<?, ?> members, StructType type) {
        ListValue.Builder fields = ListValue.newBuilder();
        type.getFieldsList().forEach(field -> fields.addValues(encode(field.getType(), members.get(field.getName()))));
        return Value.newBuilder().setListValue(fields).build();
    }

    @SuppressWarnings("unchecked")
    private static String json(Map<?, ?> members) {
        return JsonObject.of((Map<String, Object>) members).toString();
    }

    static Value string(String value) {
        return Value.newBuilder().setStringValue(value).build();
    }

    static Type type(TypeCode code) {
        return Type.newBuilder().setCode(code).build();
    }

    private static Type jsonb() {
        return Type.newBuilder()
                .setCode(TypeCode.JSON)
                .setTypeAnnotation(TypeAnnotationCode.PG_JSONB)
                .build();
    }

    private static Type array(Type element) {
        return Type.newBuilder()
                .setCode(TypeCode.ARRAY)
                .setArrayElementType(element)
                .build();
    }

    private static Type arrayOfStruct(StructType.Field... fields) {
        return array(Type.newBuilder()
                .setCode(TypeCode.STRUCT)
                .setStructType(StructType.newBuilder().addAllFields(List.of(fields)))
                .build());
    }

    private static StructType.Field field(String name, Type type) {
        return StructType.Field.newBuilder().setName(name).setType(type).build();
    }
}
