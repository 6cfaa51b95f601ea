package dev.spream.storage.spanner.source;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.protobuf.Value.KindCase;
import com.google.spanner.v1.Type;
import dev.spream.core.record.JsonObject;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    Instant timestamp(ListValue struct) {
        return Timestamps.parse(string(struct));
    }

    /** Returns the text; it must not be NULL. */
    String string(ListValue struct) {
        return text(required(struct));
    }

    String stringOrEmpty(ListValue struct) {
        Value value = value(struct);
        return value == null ? "" : text(value);
    }

    boolean bool(ListValue struct) {
        Value value = value(struct);
        if (value == null) {
            return false;
        }
        require(value.hasBoolValue(), KindCase.BOOL_VALUE, value);
        return value.getBoolValue();
    }

    /** Returns the number; 0 if it is NULL. */
    long int64(ListValue struct) {
        Value value = value(struct);
        return value == null ? 0 : Long.parseLong(text(value));
    }

    /**
     * Returns the JSON object; the JSON value null counts as absent too, as in the keys of a table whose primary key
     * has no columns.
     */
    Optional<JsonObject> json(ListValue struct) {
        Value value = value(struct);
        if (value == null) {
            return Optional.empty();
        }
        String text = text(value);
        return text.strip().equals("null") ? Optional.empty() : Optional.of(JsonObject.of(text));
    }

    /** Returns the elements that are not NULL. */
    List<ListValue> structs(ListValue struct) {
        Value value = value(struct);
        return value == null ? List.of() : present(value);
    }

    /** Returns the elements of a list that must not be NULL, nor any of its elements. */
    List<ListValue> requiredStructs(ListValue struct) {
        Value value = required(struct);
        List<ListValue> present = present(value);
        if (present.size() < value.getListValue().getValuesCount()) {
            throw new IllegalArgumentException("an element of " + name + " is NULL, and would be lost");
        }
        return present;
    }

    /** Returns the elements, including NULL ones. */
    List<@Nullable String> strings(ListValue struct) {
        Value value = value(struct);
        if (value == null) {
            return List.of();
        }
        List<@Nullable String> strings = new ArrayList<>();
        for (Value element : elements(value)) {
            strings.add(element.hasNullValue() ? null : text(element));
        }
        return strings;
    }

    private List<ListValue> present(Value array) {
        List<Value> elements = elements(array);
        List<ListValue> present = new ArrayList<>(elements.size());
        for (Value element : elements) {
            if (!element.hasNullValue()) {
                require(element.hasListValue(), KindCase.LIST_VALUE, element);
                present.add(element.getListValue());
            }
        }
        return present;
    }

    private List<Value> elements(Value array) {
        require(array.hasListValue(), KindCase.LIST_VALUE, array);
        return array.getListValue().getValuesList();
    }

    /** Returns whether both structs have the same text or boolean here, or none. */
    boolean hasEqual(ListValue struct, ListValue other) {
        Value value = value(struct);
        Value otherValue = value(other);
        if (value == null || otherValue == null) {
            return value == null && otherValue == null;
        }
        return (value.hasStringValue() && otherValue.hasStringValue())
                ? value.getStringValue().equals(otherValue.getStringValue())
                : value.equals(otherValue);
    }

    /** Returns the value; null if it is NULL. */
    @Nullable
    Value value(ListValue struct) {
        if (position == ABSENT) {
            return null;
        }
        Value value = struct.getValues(position);
        return value.hasNullValue() ? null : value;
    }

    private Value required(ListValue struct) {
        Value value = value(struct);
        if (value == null) {
            throw new IllegalArgumentException("a change record has no " + name);
        }
        return value;
    }

    private String text(Value value) {
        require(value.hasStringValue(), KindCase.STRING_VALUE, value);
        return value.getStringValue();
    }

    private void require(boolean holds, KindCase expected, Value value) {
        if (!holds) {
            throw new IllegalArgumentException(
                    "%s: %s was expected, found %s".formatted(name, expected, value.getKindCase()));
        }
    }
}
