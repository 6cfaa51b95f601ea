package dev.spream.search.lucene;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.BytesRefBuilder;
import org.apache.lucene.util.NumericUtils;

/** Converts the values of fields to the forms in which they are filtered and sorted. */
final class FieldValue {
    private static final byte FALSE = 0;
    private static final byte TRUE = 1;
    private static final byte NUMBER = 2;
    private static final byte TEXT = 3;
    private static final int ORDERED_BYTES = 8_000; // longer texts are sorted by their beginning

    private FieldValue() {}

    /** Returns the terms that a filter compares: numbers in one canonical form, text in lower case. */
    static Stream<String> filterable(Object value) {
        return switch (value) {
            case List<?> list -> list.stream().flatMap(FieldValue::filterable);
            case Number number -> Stream.of(plain(number.toString()));
            default -> Stream.of(value.toString().toLowerCase(Locale.ROOT));
        };
    }

    static List<String> meant(String filter) {
        String lower = filter.toLowerCase(Locale.ROOT);
        try {
            return List.of(lower, plain(filter));
        } catch (NumberFormatException e) {
            return List.of(lower);
        }
    }

    private static String plain(String number) {
        return new BigDecimal(number).stripTrailingZeros().toString();
    }

    /**
     * Returns the sort key of a value; for a list, that of its first element, and none if it is empty. Values are
     * sorted in the order false, true, numbers, text.
     */
    static Stream<BytesRef> ordered(Object value) {
        return switch (value) {
            case List<?> list -> list.stream().limit(1).flatMap(FieldValue::ordered);
            case Boolean flag -> Stream.of(new BytesRef(new byte[] {flag ? TRUE : FALSE}));
            case Long number -> Stream.of(number(number.doubleValue(), number));
            case Double number -> Stream.of(number(number, 0));
            default -> Stream.of(text(value.toString().toLowerCase(Locale.ROOT)));
        };
    }

    private static BytesRef number(double number, long exact) {
        byte[] bytes = new byte[1 + 2 * Long.BYTES];
        bytes[0] = NUMBER;
        NumericUtils.longToSortableBytes(NumericUtils.doubleToSortableLong(number), bytes, 1);
        NumericUtils.longToSortableBytes(exact, bytes, 1 + Long.BYTES);
        return new BytesRef(bytes);
    }

    private static BytesRef text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        BytesRefBuilder ordered = new BytesRefBuilder();
        ordered.append(TEXT);
        ordered.append(bytes, 0, Math.min(bytes.length, ORDERED_BYTES));
        return ordered.get();
    }
}
