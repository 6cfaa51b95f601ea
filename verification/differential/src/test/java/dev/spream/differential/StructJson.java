package dev.spream.differential;

import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Type;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.util.List;

/** Writes a GoogleSQL change record in the JSON shape that the PostgreSQL dialect gives its records. */
final class StructJson {
    private static final List<String> KINDS =
            List.of("data_change_record", "heartbeat_record", "child_partitions_record");

    private StructJson() {}

    static JsonObject changeRecord(Struct record) {
        JsonObject json = new JsonObject();
        for (String kind : KINDS) {
            if (!record.isNull(kind)) {
                record.getStructList(kind).forEach(one -> json.add(kind, struct(one)));
            }
        }
        return json;
    }

    private static JsonObject struct(Struct struct) {
        JsonObject json = new JsonObject();
        for (Type.StructField field : struct.getType().getStructFields()) {
            json.add(field.getName(), field(struct, field));
        }
        return json;
    }

    private static JsonElement field(Struct struct, Type.StructField field) {
        String name = field.getName();
        if (struct.isNull(name)) {
            return JsonNull.INSTANCE;
        }
        return switch (field.getType().getCode()) {
            case STRING -> new JsonPrimitive(struct.getString(name));
            case BOOL -> new JsonPrimitive(struct.getBoolean(name));
            case INT64 -> new JsonPrimitive(struct.getLong(name));
            case TIMESTAMP -> new JsonPrimitive(struct.getTimestamp(name).toString());
            case JSON -> JsonParser.parseString(struct.getJson(name));
            case ARRAY -> array(struct, field);
            default -> throw new IllegalArgumentException("no change record has a field like " + name);
        };
    }

    private static JsonArray array(Struct struct, Type.StructField field) {
        JsonArray array = new JsonArray();
        if (field.getType().getArrayElementType().getCode() == Type.Code.STRUCT) {
            struct.getStructList(field.getName()).forEach(element -> array.add(struct(element)));
        } else {
            struct.getStringList(field.getName()).forEach(array::add);
        }
        return array;
    }
}
