package dev.spream.emulator.internal.stream;

import com.google.protobuf.NullValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeAnnotationCode;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.schema.Column;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes JSON: column values in Spanner's wire encoding, column types, and text. */
final class JsonText {
    private static final int FIRST_PRINTABLE = 0x20;
    private static final Value NULL =
            Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();

    private JsonText() {}

    /** An object with the values of these columns. */
    static void row(StringBuilder out, List<Column> columns, Map<String, Value> row) {
        out.append('{');
        for (Column column : columns) {
            separate(out, '{');
            string(out, column.name());
            out.append(':');
            value(out, row.getOrDefault(column.name(), NULL));
        }
        out.append('}');
    }

    static void value(StringBuilder out, Value value) {
        switch (value.getKindCase()) {
            case STRING_VALUE -> string(out, value.getStringValue());
            case NUMBER_VALUE -> number(out, value.getNumberValue());
            case BOOL_VALUE -> out.append(value.getBoolValue());
            case LIST_VALUE -> list(out, value.getListValue().getValuesList());
            case NULL_VALUE, KIND_NOT_SET -> out.append("null");
            case STRUCT_VALUE -> throw new IllegalArgumentException("no column holds a struct in wire encoding");
        }
    }

    private static void list(StringBuilder out, List<Value> values) {
        out.append('[');
        for (Value value : values) {
            separate(out, '[');
            value(out, value);
        }
        out.append(']');
    }

    /** JSON has no NaN and no infinities: these are text, as they are on the wire. */
    private static void number(StringBuilder out, double number) {
        if (Double.isFinite(number)) {
            out.append(number);
        } else {
            string(out, Double.toString(number));
        }
    }

    /** A column's type, such as {@code {"code":"ARRAY","array_element_type":{"code":"STRING"}}}. */
    static void type(StringBuilder out, Type type) {
        out.append("{\"code\":");
        string(out, type.getCode().name());
        if (type.getCode() == TypeCode.ARRAY) {
            out.append(",\"array_element_type\":");
            type(out, type.getArrayElementType());
        }
        if (type.getTypeAnnotation() != TypeAnnotationCode.TYPE_ANNOTATION_CODE_UNSPECIFIED) {
            out.append(",\"type_annotation\":");
            string(out, type.getTypeAnnotation().name());
        }
        if (!type.getProtoTypeFqn().isEmpty()) {
            out.append(",\"proto_type_fqn\":");
            string(out, type.getProtoTypeFqn());
        }
        out.append('}');
    }

    static void string(StringBuilder out, String text) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c < FIRST_PRINTABLE) {
                        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }

    /** A comma, unless something was just opened. */
    static void separate(StringBuilder out, char opening) {
        if (out.charAt(out.length() - 1) != opening) {
            out.append(',');
        }
    }
}
