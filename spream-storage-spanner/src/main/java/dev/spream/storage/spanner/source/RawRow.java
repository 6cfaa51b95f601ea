package dev.spream.storage.spanner.source;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.StructType.Field;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.record.JsonObject;
import dev.spream.core.source.UndecodableChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Examines a row that could not be decoded: whether it has exactly one data change, and which parts of that can be
 * read. Any other content, such as a second record or one of an unknown kind, may name child partitions.
 */
final class RawRow {
    static final String DATA_CHANGE = "data_change_record";

    private RawRow() {}

    /** Returns the change in a row of that type; empty if the row may have other content as well. */
    static Optional<UndecodableChange> change(Type column, EncodedValue row) {
        try {
            return switch (column.getCode()) {
                case ARRAY -> change(column.getArrayElementType(), row.list());
                case JSON -> change(row.string());
                case PROTO, BYTES -> RawMessage.change(ProtoRecords.message(row));
                default -> Optional.empty();
            };
        } catch (RuntimeException e) {
            return Optional.empty(); // not even its outline can be read
        }
    }

    private static Optional<UndecodableChange> change(Type type, List<EncodedValue> elements) {
        if (elements.size() != 1) {
            return Optional.empty();
        }
        List<EncodedValue> record = elements.getFirst().list();
        StructField changeField = StructField.of(type, DATA_CHANGE);
        List<List<EncodedValue>> changes = changeField.structs(record);
        for (int i = 0; i < record.size(); i++) {
            if (i != changeField.position() && !isEmpty(record.get(i))) {
                return Optional.empty();
            }
        }
        if (changes.size() != 1) {
            return Optional.empty();
        }
        List<EncodedValue> change = changes.getFirst();
        Type changeType = changeField.elementType();
        return Optional.of(new UndecodableChange(
                readable(() -> StructField.of(changeType, "commit_timestamp").timestamp(change)),
                readable(() ->
                        StructField.of(changeType, "server_transaction_id").string(change)),
                readable(() -> StructField.of(changeType, "record_sequence").string(change)),
                readable(() -> StructField.of(changeType, "table_name").string(change)),
                JsonObject.of(members(type, elements.getFirst().decode().getListValue()))
                        .toString()));
    }

    private static boolean isEmpty(EncodedValue value) {
        return value.isNull()
                || (value.kind() == Value.KindCase.LIST_VALUE && value.list().isEmpty());
    }

    private static Optional<UndecodableChange> change(String json) {
        JsonObject row = JsonObject.of(json);
        for (Map.Entry<String, @Nullable Object> member : row.members().entrySet()) {
            if (!member.getKey().equals(DATA_CHANGE) && !isEmpty(member.getValue())) {
                return Optional.empty();
            }
        }
        return row.object(DATA_CHANGE)
                .filter(change -> !change.members().isEmpty())
                .map(change -> new UndecodableChange(
                        readable(() ->
                                Instant.parse(change.string("commit_timestamp").orElseThrow())),
                        readable(() -> change.string("server_transaction_id").orElseThrow()),
                        readable(() -> change.string("record_sequence").orElseThrow()),
                        readable(() -> change.string("table_name").orElseThrow()),
                        json));
    }

    private static boolean isEmpty(@Nullable Object value) {
        return value == null
                || (value instanceof Map<?, ?> map && map.isEmpty())
                || (value instanceof List<?> list && list.isEmpty());
    }

    /** Returns the value of a field; empty if it cannot be read. */
    static <T> Optional<T> readable(Supplier<T> field) {
        try {
            return Optional.of(field.get());
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    private static Map<String, @Nullable Object> members(Type type, ListValue struct) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        List<Field> fields = type.getStructType().getFieldsList();
        for (int i = 0; i < fields.size() && i < struct.getValuesCount(); i++) {
            members.put(fields.get(i).getName(), json(fields.get(i).getType(), struct.getValues(i)));
        }
        return members;
    }

    private static @Nullable Object json(Type type, Value value) {
        return switch (value.getKindCase()) {
            case BOOL_VALUE -> value.getBoolValue();
            case NUMBER_VALUE -> value.getNumberValue();
            case STRING_VALUE -> type.getCode() == TypeCode.INT64 ? number(value) : value.getStringValue();
            case LIST_VALUE ->
                type.getCode() == TypeCode.STRUCT
                        ? members(type, value.getListValue())
                        : elements(type.getArrayElementType(), value.getListValue());
            case NULL_VALUE, STRUCT_VALUE, KIND_NOT_SET -> null;
        };
    }

    private static Object number(Value value) {
        return readable(() -> (Object) Long.valueOf(value.getStringValue())).orElse(value.getStringValue());
    }

    private static List<@Nullable Object> elements(Type element, ListValue array) {
        List<@Nullable Object> elements = new ArrayList<>(array.getValuesCount());
        for (Value value : array.getValuesList()) {
            elements.add(json(element, value));
        }
        return elements;
    }
}
