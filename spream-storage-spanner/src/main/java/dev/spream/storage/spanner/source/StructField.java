package dev.spream.storage.spanner.source;

import com.google.spanner.v1.Type;
import dev.spream.core.record.JsonObject;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A field of a struct type, which reads its value from structs as the protocol has them: a list of values in the order
 * of the fields. A field that the type lacks counts as NULL. A value that is not of the field's kind makes its reader
 * throw {@link IllegalArgumentException}.
 *
 * @param position the place of the value in a struct; negative if the type lacks the field
 * @param type the type of the field; the default instance if the struct type lacks it
 * @see <a href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#typecode">Spanner: encoding of
 *     values</a>
 */
record StructField(String name, int position, Type type) {
    private static final int ABSENT = -1;

    static StructField of(Type struct, String name) {
        var fields = struct.getStructType().getFieldsList();
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).getName().equals(name)) {
                return new StructField(name, i, fields.get(i).getType());
            }
        }
        return new StructField(name, ABSENT, Type.getDefaultInstance());
    }

    /** Returns the type of the elements, if this is an array. */
    Type elementType() {
        return type.getArrayElementType();
    }

    Instant timestamp(List<EncodedValue> struct) {
        return Timestamps.parse(string(struct));
    }

    /** Returns the text; it must not be NULL. */
    String string(List<EncodedValue> struct) {
        return read(required(struct), EncodedValue::string);
    }

    String stringOrEmpty(List<EncodedValue> struct) {
        EncodedValue value = value(struct);
        return value == null ? "" : read(value, EncodedValue::string);
    }

    boolean bool(List<EncodedValue> struct) {
        EncodedValue value = value(struct);
        return value != null && read(value, EncodedValue::bool);
    }

    /** Returns the number; 0 if it is NULL. */
    long int64(List<EncodedValue> struct) {
        EncodedValue value = value(struct);
        return value == null ? 0 : Long.parseLong(read(value, EncodedValue::string));
    }

    /**
     * Returns the JSON object; the JSON value null counts as absent too, as in the keys of a table whose primary key
     * has no columns.
     */
    Optional<JsonObject> json(List<EncodedValue> struct) {
        EncodedValue value = value(struct);
        if (value == null) {
            return Optional.empty();
        }
        String text = read(value, EncodedValue::string);
        return text.strip().equals("null") ? Optional.empty() : Optional.of(JsonObject.of(text));
    }

    /** Returns the elements that are not NULL, of an array of structs. */
    List<List<EncodedValue>> structs(List<EncodedValue> struct) {
        EncodedValue value = value(struct);
        return value == null ? List.of() : structs(value);
    }

    /** Returns the elements of a list that must not be NULL, nor any of its elements. */
    List<List<EncodedValue>> requiredStructs(List<EncodedValue> struct) {
        List<EncodedValue> elements = read(required(struct), EncodedValue::list);
        if (elements.stream().anyMatch(EncodedValue::isNull)) {
            throw new IllegalArgumentException("an element of " + name + " is NULL, and would be lost");
        }
        return elements.stream().map(this::struct).toList();
    }

    /** Returns the elements that are not NULL, of this array of structs. */
    List<List<EncodedValue>> structs(EncodedValue array) {
        List<EncodedValue> elements = read(array, EncodedValue::list);
        List<List<EncodedValue>> present = new ArrayList<>(elements.size());
        for (EncodedValue element : elements) {
            if (!element.isNull()) {
                present.add(struct(element));
            }
        }
        return present;
    }

    /** Returns the elements, including NULL ones. */
    List<@Nullable String> strings(List<EncodedValue> struct) {
        EncodedValue value = value(struct);
        if (value == null) {
            return List.of();
        }
        List<@Nullable String> strings = new ArrayList<>();
        for (EncodedValue element : read(value, EncodedValue::list)) {
            strings.add(element.isNull() ? null : read(element, EncodedValue::string));
        }
        return strings;
    }

    /** Returns the value; null if it is NULL. */
    @Nullable
    EncodedValue value(List<EncodedValue> struct) {
        if (position == ABSENT) {
            return null;
        }
        EncodedValue value = struct.get(position);
        return value.isNull() ? null : value;
    }

    private List<EncodedValue> struct(EncodedValue element) {
        return read(element, EncodedValue::list);
    }

    private EncodedValue required(List<EncodedValue> struct) {
        EncodedValue value = value(struct);
        if (value == null) {
            throw new IllegalArgumentException("a change record has no " + name);
        }
        return value;
    }

    private <T> T read(EncodedValue value, Function<EncodedValue, T> reader) {
        try {
            return reader.apply(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }
}
