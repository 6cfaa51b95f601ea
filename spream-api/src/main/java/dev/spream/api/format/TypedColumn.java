package dev.spream.api.format;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.Json;
import dev.spream.core.record.TypeCode;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column whose values are written as JSON of the type that suits the column: INT64 and ENUM as numbers, BOOL as a
 * boolean, FLOAT32 and FLOAT64 as numbers unless they are not finite, everything else as a string. Immutable.
 *
 * @param name the column's name
 * @param isKey whether it is part of the primary key
 * @param isArray whether its type is an ARRAY
 * @param element the code of its type, or of the elements of an ARRAY
 * @param label the name as the beginning of a member
 */
record TypedColumn(String name, boolean isKey, boolean isArray, TypeCode element, String label) {
    private static final int MAX_INT64_DIGITS = 20;

    static TypedColumn of(ColumnType column) {
        return new TypedColumn(
                column.name(),
                column.isPrimaryKey(),
                column.type().code() == TypeCode.ARRAY,
                column.type().arrayElementType().orElse(column.type()).code(),
                Json.text(column.name()) + ":");
    }

    /** Appends a value as Spanner encodes it. */
    void append(StringBuilder out, @Nullable Object value) {
        if (value instanceof List<?> elements) {
            out.append('[');
            for (int i = 0; i < elements.size(); i++) {
                if (i > 0) {
                    out.append(',');
                }
                appendScalar(out, elements.get(i));
            }
            out.append(']');
        } else {
            appendScalar(out, value);
        }
    }

    private void appendScalar(StringBuilder out, @Nullable Object value) {
        switch (value) {
            case String text when isInteger() && isIntegerText(text) -> out.append(text);
            case BigDecimal number when element == TypeCode.FLOAT32 -> appendFloat(out, number);
            case null, default -> Json.append(out, value);
        }
    }

    private boolean isInteger() {
        return element == TypeCode.INT64 || element == TypeCode.ENUM;
    }

    private static boolean isIntegerText(String text) {
        int start = text.startsWith("-") ? 1 : 0;
        if (text.length() == start || text.length() > MAX_INT64_DIGITS) {
            return false;
        }
        if (text.charAt(start) == '0' && text.length() > start + 1) {
            return false;
        }
        for (int i = start; i < text.length(); i++) {
            if (text.charAt(i) < '0' || text.charAt(i) > '9') {
                return false;
            }
        }
        return true;
    }

    /** Appends the shortest text of the value; Spanner sends it with the digits of a FLOAT64. */
    private static void appendFloat(StringBuilder out, BigDecimal number) {
        float value = number.floatValue();
        if (Float.isFinite(value)) {
            out.append(value);
        } else {
            Json.append(out, number);
        }
    }
}
