package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.StructReader;
import com.google.cloud.spanner.Type;
import dev.spream.core.record.JsonObject;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads fields of structs by name; a field may be missing from the type or NULL in the value. */
final class Fields {
    private static final int ABSENT = -1;

    private Fields() {}

    static Instant timestamp(StructReader struct, String name) {
        return Timestamps.toInstant(struct.getTimestamp(required(struct, name)));
    }

    static String string(StructReader struct, String name) {
        return struct.getString(required(struct, name));
    }

    static String stringOrEmpty(StructReader struct, String name) {
        int index = index(struct, name);
        return index == ABSENT ? "" : struct.getString(index);
    }

    static boolean bool(StructReader struct, String name) {
        int index = index(struct, name);
        return index != ABSENT && struct.getBoolean(index);
    }

    static long int64(StructReader struct, String name) {
        int index = index(struct, name);
        return index == ABSENT ? 0 : struct.getLong(index);
    }

    /**
     * Returns the JSON object; the JSON value null counts as absent too, as in the keys of a table whose primary key
     * has no columns.
     */
    static Optional<JsonObject> json(StructReader struct, String name) {
        int index = index(struct, name);
        if (index == ABSENT) {
            return Optional.empty();
        }
        String text = jsonText(struct, index);
        return text.strip().equals("null") ? Optional.empty() : Optional.of(JsonObject.of(text));
    }

    private static String jsonText(StructReader struct, int index) {
        return struct.getColumnType(index).getCode() == Type.Code.STRING
                ? struct.getString(index)
                : struct.getJson(index);
    }

    /** Returns the elements that are not NULL. */
    static List<Struct> structs(StructReader struct, String name) {
        int index = index(struct, name);
        return index == ABSENT ? List.of() : present(struct.getStructList(index));
    }

    /** Returns the elements of a required list without NULL elements. */
    static List<Struct> requiredStructs(StructReader struct, String name) {
        List<Struct> structs = struct.getStructList(required(struct, name));
        List<Struct> present = present(structs);
        if (present.size() < structs.size()) {
            throw new IllegalArgumentException("an element of " + name + " is NULL, and would be lost");
        }
        return present;
    }

    /** Returns the elements, including NULL ones. */
    static List<@Nullable String> strings(StructReader struct, String name) {
        int index = index(struct, name);
        return index == ABSENT ? List.of() : struct.getStringList(index);
    }

    /**
     * Returns the elements that are not NULL, in one pass: the client's lists decode an element at each access, which
     * costs more than all further processing.
     */
    static List<Struct> present(List<@Nullable Struct> structs) {
        List<Struct> present = new ArrayList<>(structs.size());
        for (Struct struct : structs) {
            if (struct != null) {
                present.add(struct);
            }
        }
        return present;
    }

    private static int required(StructReader struct, String name) {
        int index = index(struct, name);
        if (index == ABSENT) {
            throw new IllegalArgumentException("a change record has no " + name);
        }
        return index;
    }

    private static int index(StructReader struct, String name) {
        List<Type.StructField> fields = struct.getType().getStructFields();
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).getName().equals(name)) {
                return struct.isNull(i) ? ABSENT : i;
            }
        }
        return ABSENT;
    }
}
