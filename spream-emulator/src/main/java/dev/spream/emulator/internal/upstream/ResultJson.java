package dev.spream.emulator.internal.upstream;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Value;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import java.util.List;

/** The values of query results as JSON, structures by the names of their fields. */
final class ResultJson {
    private ResultJson() {}

    /**
     * Returns the change records of a result in the form of the PostgreSQL dialect: objects with a key for the kind of
     * record.
     */
    static List<JsonObject> records(UpstreamClient.Result result) {
        Type type = result.rowType().getFields(0).getType();
        return result.values().stream()
                .map(value -> of(value, type))
                .map(json -> json.isJsonArray() ? record(json.getAsJsonArray().get(0)) : json.getAsJsonObject())
                .toList();
    }

    /** Returns the record without the arrays around the one kind that it has. */
    private static JsonObject record(JsonElement kinds) {
        JsonObject record = new JsonObject();
        kinds.getAsJsonObject().entrySet().stream()
                .filter(kind -> !kind.getValue().getAsJsonArray().isEmpty())
                .forEach(kind -> record.add(
                        kind.getKey(), kind.getValue().getAsJsonArray().get(0)));
        return record;
    }

    private static JsonElement of(Value value, Type type) {
        return switch (value.getKindCase()) {
            case STRING_VALUE ->
                type.getCode() == TypeCode.JSON
                        ? JsonParser.parseString(value.getStringValue())
                        : new JsonPrimitive(value.getStringValue());
            case NUMBER_VALUE -> new JsonPrimitive(value.getNumberValue());
            case BOOL_VALUE -> new JsonPrimitive(value.getBoolValue());
            case LIST_VALUE ->
                type.getCode() == TypeCode.STRUCT ? struct(value, type.getStructType()) : list(value, type);
            case NULL_VALUE, STRUCT_VALUE, KIND_NOT_SET -> JsonNull.INSTANCE;
        };
    }

    private static JsonArray list(Value value, Type type) {
        JsonArray list = new JsonArray();
        value.getListValue().getValuesList().forEach(each -> list.add(of(each, type.getArrayElementType())));
        return list;
    }

    private static JsonObject struct(Value value, StructType type) {
        JsonObject struct = new JsonObject();
        for (int i = 0; i < type.getFieldsCount(); i++) {
            StructType.Field field = type.getFields(i);
            struct.add(field.getName(), of(value.getListValue().getValues(i), field.getType()));
        }
        return struct;
    }
}
