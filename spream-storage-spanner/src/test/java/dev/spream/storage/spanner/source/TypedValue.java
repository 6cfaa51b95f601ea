package dev.spream.storage.spanner.source;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A value as the protocol has it, and its type. */
record TypedValue(Type type, Value value) {
    private static final Value NULL =
            Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();

    /** A field of a struct. */
    record Field(String name, TypedValue content) {}

    static TypedValue text(TypeCode code, @Nullable String text) {
        return new TypedValue(
                Type.newBuilder().setCode(code).build(),
                text == null ? NULL : Value.newBuilder().setStringValue(text).build());
    }

    static TypedValue jsonb(String text) {
        Type type = Type.newBuilder()
                .setCode(TypeCode.JSON)
                .setTypeAnnotation(TypeAnnotationCode.PG_JSONB)
                .build();
        return new TypedValue(type, text(TypeCode.JSON, text).value());
    }

    static Field field(String name, TypeCode code, @Nullable String text) {
        return new Field(name, text(code, text));
    }

    static Field field(String name, TypedValue content) {
        return new Field(name, content);
    }

    static TypedValue struct(Field... fields) {
        StructType.Builder type = StructType.newBuilder();
        ListValue.Builder values = ListValue.newBuilder();
        for (Field field : fields) {
            type.addFields(StructType.Field.newBuilder()
                    .setName(field.name())
                    .setType(field.content().type()));
            values.addValues(field.content().value());
        }
        return new TypedValue(
                Type.newBuilder().setCode(TypeCode.STRUCT).setStructType(type).build(),
                Value.newBuilder().setListValue(values).build());
    }

    /** Returns the array; null elements are NULL. */
    static TypedValue array(Type element, @Nullable TypedValue... elements) {
        ListValue.Builder values = ListValue.newBuilder();
        Arrays.stream(elements).forEach(each -> values.addValues(each == null ? NULL : each.value()));
        return new TypedValue(
                arrayOf(element), Value.newBuilder().setListValue(values).build());
    }

    /** Returns the array, of the type of its last element. */
    static TypedValue array(@Nullable TypedValue... elements) {
        TypedValue last = elements[elements.length - 1];
        if (last == null) {
            throw new IllegalArgumentException("the last element gives the type");
        }
        return array(last.type(), elements);
    }

    static TypedValue nullArray(Type element) {
        return new TypedValue(arrayOf(element), NULL);
    }

    private static Type arrayOf(Type element) {
        return Type.newBuilder()
                .setCode(TypeCode.ARRAY)
                .setArrayElementType(element)
                .build();
    }
}
