package dev.spream.storage.jdbc.mirror;

import dev.spream.core.record.Json;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts values to text that PostgreSQL parses as the type of the target column. A table created by other programs
 * may have other types than this mirror's: a text column stores all values as Spanner writes them, other columns those
 * that their type accepts.
 */
final class ValueText {
    private static final SpannerType UNKNOWN = SpannerType.of(TypeCode.UNKNOWN);

    private static final int MICROSECOND_DIGITS = 6;

    private ValueText() {}

    /**
     * Returns the text of a value.
     *
     * @throws IllegalArgumentException if no column of that type can hold the value; the message does not show it
     */
    static @Nullable String of(@Nullable Object value, SpannerType type, TargetColumn column) {
        if (value == null) {
            return null;
        }
        return column.isArray() && value instanceof List<?> elements
                ? array(elements, type.arrayElementType().orElse(UNKNOWN), column)
                : element(value, type, column);
    }

    /** @see <a href="https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO">PostgreSQL: array input syntax</a> */
    private static String array(List<?> elements, SpannerType type, TargetColumn column) {
        StringBuilder text = new StringBuilder("{");
        for (Object element : elements) {
            if (text.length() > 1) {
                text.append(',');
            }
            if (element == null) {
                text.append("NULL");
            } else {
                String plain = element(element, type, column);
                text.append('"')
                        .append(plain.replace("\\", "\\\\").replace("\"", "\\\""))
                        .append('"');
            }
        }
        return text.append('}').toString();
    }

    private static String element(Object value, SpannerType type, TargetColumn column) {
        if (column.isJson()) {
            return value instanceof String json && type.code() == TypeCode.JSON ? json : Json.text(value);
        }
        return switch (value) {
            case String text -> ofString(text, type.code(), column);
            case BigDecimal number -> number.toString();
            case Boolean bool -> bool.toString();
            default -> Json.text(value);
        };
    }

    private static String ofString(String text, TypeCode code, TargetColumn column) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a text with the character U+0000, which PostgreSQL cannot store");
        }
        if (column.isBytes() && (code == TypeCode.BYTES || code == TypeCode.PROTO)) {
            return "\\x" + HexFormat.of().formatHex(Base64.getDecoder().decode(text));
        }
        return code == TypeCode.TIMESTAMP && column.hasMicroseconds() ? toMicroseconds(text) : text;
    }

    /** Returns whether nonzero digits of a timestamp would be truncated. */
    static boolean isCut(@Nullable Object value, SpannerType type, TargetColumn column) {
        if (value instanceof List<?> elements && column.isArray()) {
            SpannerType of = type.arrayElementType().orElse(UNKNOWN);
            return elements.stream().anyMatch(element -> isCut(element, of, column));
        }
        return type.code() == TypeCode.TIMESTAMP
                && column.hasMicroseconds()
                && value instanceof String timestamp
                && excess(timestamp).chars().anyMatch(digit -> digit != '0');
    }

    /**
     * Truncates to microseconds: Spanner's timestamps have up to nine digits after the second, PostgreSQL's six, and it
     * rounds, possibly into another year.
     */
    private static String toMicroseconds(String timestamp) {
        String excess = excess(timestamp);
        int start = excessStart(timestamp);
        return excess.isEmpty()
                ? timestamp
                : timestamp.substring(0, start) + timestamp.substring(start + excess.length());
    }

    /** Returns the digits beyond the microseconds, before any time zone. */
    private static String excess(String timestamp) {
        int start = excessStart(timestamp);
        int end = start;
        while (end < timestamp.length() && Character.isDigit(timestamp.charAt(end))) {
            end++;
        }
        return start < end ? timestamp.substring(start, end) : "";
    }

    private static int excessStart(String timestamp) {
        int dot = timestamp.indexOf('.');
        return dot < 0 ? timestamp.length() : dot + 1 + MICROSECOND_DIGITS;
    }
}
