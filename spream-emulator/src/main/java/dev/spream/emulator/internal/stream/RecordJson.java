package dev.spream.emulator.internal.stream;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.Values;
import java.util.List;
import java.util.Map;

/** Column values in Spanner's wire encoding, and column types, as JSON. */
final class RecordJson {
    private RecordJson() {}

    /** Returns an object with the values of these columns. */
    static JsonObject row(List<Column> columns, Map<String, Value> row) {
        JsonObject json = new JsonObject();
        columns.forEach(column -> json.add(column.name(), value(row.getOrDefault(column.name(), Values.NULL))));
        return json;
    }

    private static JsonElement value(Value value) {
        return switch (value.getKindCase()) {
            case STRING_VALUE -> new JsonPrimitive(value.getStringValue());
            case NUMBER_VALUE -> number(value.getNumberValue());
            case BOOL_VALUE -> new JsonPrimitive(value.getBoolValue());
            case LIST_VALUE -> {
                JsonArray list = new JsonArray();
                value.getListValue().getValuesList().forEach(element -> list.add(value(element)));
                yield list;
            }
            case NULL_VALUE, KIND_NOT_SET -> JsonNull.INSTANCE;
            case STRUCT_VALUE -> throw new IllegalArgumentException("no column contains a struct in wire encoding");
        };
    }

    /** Returns a number, or the text of the wire encoding for NaN and the infinities, which JSON does not have. */
    private static JsonPrimitive number(double number) {
        return Double.isFinite(number) ? new JsonPrimitive(number) : new JsonPrimitive(Double.toString(number));
    }

    /** Returns a column's type, such as {@code {"code":"ARRAY","array_element_type":{"code":"STRING"}}}. */
    static JsonObject type(Type type) {
        JsonObject json = new JsonObject();
        json.addProperty("code", type.getCode().name());
        if (type.getCode() == TypeCode.ARRAY) {
            json.add("array_element_type", type(type.getArrayElementType()));
        }
        if (type.getTypeAnnotation() != TypeAnnotationCode.TYPE_ANNOTATION_CODE_UNSPECIFIED) {
            json.addProperty("type_annotation", type.getTypeAnnotation().name());
        }
        if (!type.getProtoTypeFqn().isEmpty()) {
            json.addProperty("proto_type_fqn", type.getProtoTypeFqn());
        }
        return json;
    }
}
