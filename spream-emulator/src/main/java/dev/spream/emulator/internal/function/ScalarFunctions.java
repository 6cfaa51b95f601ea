package dev.spream.emulator.internal.function;

import dev.spream.emulator.internal.sql.Errors;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;

/** The Java side of the calls of {@code internal.sql.FunctionCatalog}. A function is null if an argument is. */
public final class ScalarFunctions {
    /** The statements that make the functions known to the engine. */
    static final List<String> DEFINITIONS = Stream.of(
                    "ACCEPTS accepts",
                    "BYTEA bytea",
                    "COUNT count",
                    "DATE_ADD dateAdd",
                    "LEFT left",
                    "LENGTH length",
                    "LPAD lpad",
                    "LTRIM ltrim",
                    "REVERSE reverse",
                    "RPAD rpad",
                    "RTRIM rtrim",
                    "SIZE size",
                    "START start",
                    "STRPOS strpos",
                    "TIMESTAMP_ADD timestampAdd")
            .map(names -> names.split(" "))
            .map(names -> EngineFunctions.definition(ScalarFunctions.class, names[0], "DETERMINISTIC ", names[1]))
            .toList();

    /** The seconds of Spanner's first and last timestamp, in 0001 and 9999. */
    private static final long FIRST_SECOND = -62_135_596_800L;

    private static final long LAST_SECOND = 253_402_300_799L;

    private ScalarFunctions() {}

    /** Returns true if each value is null or of one of the types, or throws an error. */
    public static boolean accepts(String function, String types, Value... values) {
        List<String> accepted = List.of(types.split(" "));
        for (Value value : values) {
            if (value.getValueType() != Value.NULL && !accepted.contains(type(value))) {
                throw Errors.unimplemented(
                        "The emulator does not support the function %s for values of type %s", function, type(value));
            }
        }
        return true;
    }

    static String type(Value value) {
        return switch (value.getValueType()) {
            case Value.BOOLEAN -> "BOOL";
            case Value.TINYINT, Value.SMALLINT, Value.INTEGER, Value.BIGINT -> "INT64";
            case Value.REAL, Value.DOUBLE -> "FLOAT64";
            case Value.CHAR, Value.VARCHAR, Value.CLOB -> "STRING";
            case Value.BINARY, Value.VARBINARY, Value.BLOB -> "BYTES";
            default -> Value.getTypeName(value.getValueType());
        };
    }

    /** Returns the bytes that PostgreSQL's text of a bytea stands for, or bytes as they are. */
    public static byte @Nullable [] bytea(Value value) {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        String text = text(value);
        if (text == null) {
            return value.getBytes();
        }
        if (!text.startsWith("\\x")) {
            return escaped(text);
        }
        try {
            return HexFormat.of().parseHex(text.substring(2).replaceAll("\\s", ""));
        } catch (IllegalArgumentException e) {
            throw Errors.invalidArgument("invalid hexadecimal data in bytea: %s", text);
        }
    }

    /** Returns the bytes of a text in which a backslash precedes another one or three octal digits. */
    private static byte[] escaped(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '\\') {
                result.write(bytes[i]);
            } else if (i + 1 < bytes.length && bytes[i + 1] == '\\') {
                result.write(bytes[++i]);
            } else {
                String octal = new String(bytes, i + 1, Math.min(3, bytes.length - i - 1), StandardCharsets.UTF_8);
                if (!octal.matches("[0-3][0-7]{2}")) {
                    throw Errors.invalidArgument("[ERROR] invalid input syntax for type bytea: %s", text);
                }
                result.write(Integer.parseInt(octal, 8));
                i += 3;
            }
        }
        return result.toByteArray();
    }

    /** Returns the second argument of {@code REPEAT}. */
    public static @Nullable Long count(@Nullable Long count) {
        if (count != null && count < 0) {
            throw Errors.outOfRange("Second argument (repeat count) for REPEAT cannot be negative");
        }
        return count;
    }

    /** Returns the number of characters or of bytes. */
    public static @Nullable Long size(Value value) {
        if (value.getValueType() == Value.NULL) {
            return null;
        }
        String text = text(value);
        return text == null ? value.getBytesNoCopy().length : (long) text.codePointCount(0, text.length());
    }

    /** Returns the text that a value is, or null for bytes. */
    private static @Nullable String text(Value value) {
        return type(value).equals("BYTES") ? null : value.getString();
    }

    /** Returns the place in the engine that the second argument of {@code SUBSTR} stands for. */
    public static @Nullable Long start(Value value, @Nullable Long position) {
        Long size = size(value);
        if (size == null || position == null) {
            return null;
        }
        long start = position < 0 ? Math.max(0, position + size) : Math.min(Math.max(position - 1, 0), size);
        return 1 + units(value, 0, start);
    }

    /** Returns the engine's length of the part that the arguments of {@code SUBSTR} stand for. */
    public static @Nullable Long length(Value value, @Nullable Long position, @Nullable Long length) {
        if (length != null && length < 0) {
            throw Errors.outOfRange("Third argument in SUBSTR() cannot be negative");
        }
        Long start = start(value, position);
        return start == null || length == null ? null : Long.valueOf(units(value, start.intValue() - 1, length));
    }

    /** Returns how many units of the engine, chars or bytes, as many characters or bytes from a place on have. */
    private static long units(Value value, int from, long count) {
        String text = text(value);
        if (text == null) {
            return Math.min(count, value.getBytesNoCopy().length - from);
        }
        long left = text.codePointCount(from, text.length());
        return text.offsetByCodePoints(from, (int) Math.min(count, left)) - from;
    }

    /** Returns the place of a part of a text, or 0. */
    public static @Nullable Long strpos(@Nullable String text, @Nullable String part) {
        if (text == null || part == null) {
            return null;
        }
        int found = text.indexOf(part);
        return found < 0 ? Long.valueOf(0) : Long.valueOf(1 + text.codePointCount(0, found));
    }

    public static @Nullable String lpad(@Nullable String text, @Nullable Long size, @Nullable String pattern) {
        if (text == null || size == null || pattern == null) {
            return null;
        }
        String padding = padding(text, size, pattern);
        return padding + cut(text, size);
    }

    public static @Nullable String rpad(@Nullable String text, @Nullable Long size, @Nullable String pattern) {
        if (text == null || size == null || pattern == null) {
            return null;
        }
        String padding = padding(text, size, pattern);
        return cut(text, size) + padding;
    }

    private static String padding(String text, long size, String pattern) {
        if (size < 0) {
            throw Errors.outOfRange("Second argument (output size) for LPAD/RPAD cannot be negative");
        }
        if (pattern.isEmpty()) {
            throw Errors.outOfRange("Third argument (pad pattern) for LPAD/RPAD cannot be empty");
        }
        long missing = size - text.codePointCount(0, text.length());
        if (missing <= 0) {
            return "";
        }
        int patterns = Math.toIntExact(missing / pattern.codePointCount(0, pattern.length()) + 1);
        return cut(pattern.repeat(patterns), missing);
    }

    /** Returns the first characters of a text. */
    public static @Nullable String left(@Nullable String text, long size) {
        return text == null ? null : cut(text, size);
    }

    private static String cut(String text, long size) {
        return text.codePointCount(0, text.length()) <= size
                ? text
                : text.substring(0, text.offsetByCodePoints(0, (int) size));
    }

    public static @Nullable String ltrim(@Nullable String text) {
        return text == null ? null : text.stripLeading();
    }

    public static @Nullable String rtrim(@Nullable String text) {
        return text == null ? null : text.stripTrailing();
    }

    /** Removes each of the characters from the beginning. */
    public static @Nullable String ltrim(@Nullable String text, @Nullable String characters) {
        if (text == null || characters == null) {
            return null;
        }
        int start = 0;
        while (start < text.length() && characters.indexOf(text.codePointAt(start)) >= 0) {
            start = text.offsetByCodePoints(start, 1);
        }
        return text.substring(start);
    }

    /** Removes each of the characters from the end. */
    public static @Nullable String rtrim(@Nullable String text, @Nullable String characters) {
        if (text == null || characters == null) {
            return null;
        }
        int end = text.length();
        while (end > 0 && characters.indexOf(text.codePointBefore(end)) >= 0) {
            end = text.offsetByCodePoints(end, -1);
        }
        return text.substring(0, end);
    }

    public static @Nullable String reverse(@Nullable String text) {
        return text == null ? null : new StringBuilder(text).reverse().toString();
    }

    public static @Nullable LocalDate dateAdd(@Nullable LocalDate date, @Nullable Long amount, String unit) {
        if (date == null || amount == null) {
            return null;
        }
        try {
            LocalDate sum =
                    switch (unit) {
                        case "DAY" -> date.plusDays(amount);
                        case "WEEK" -> date.plusWeeks(amount);
                        case "MONTH" -> date.plusMonths(amount);
                        case "QUARTER" -> date.plusMonths(Math.multiplyExact(amount, 3));
                        default -> date.plusYears(amount);
                    };
            if (sum.getYear() >= 1 && sum.getYear() <= 9999) {
                return sum;
            }
        } catch (ArithmeticException | DateTimeException e) {
            // Out of range, as below.
        }
        throw Errors.outOfRange("Adding %d %s to date %s causes overflow".formatted(amount, unit, date));
    }

    public static @Nullable OffsetDateTime timestampAdd(
            @Nullable OffsetDateTime time, @Nullable Long amount, String unit) {
        if (time == null || amount == null) {
            return null;
        }
        try {
            OffsetDateTime sum =
                    switch (unit) {
                        case "NANOSECOND" -> time.plusNanos(amount);
                        case "MICROSECOND" -> time.plus(Duration.ofNanos(1_000).multipliedBy(amount));
                        case "MILLISECOND" -> time.plus(Duration.ofMillis(amount));
                        case "SECOND" -> time.plusSeconds(amount);
                        case "MINUTE" -> time.plusMinutes(amount);
                        case "HOUR" -> time.plusHours(amount);
                        default -> time.plusHours(Math.multiplyExact(amount, 24));
                    };
            if (sum.toInstant().getEpochSecond() <= LAST_SECOND
                    && sum.toInstant().getEpochSecond() >= FIRST_SECOND) {
                return sum;
            }
        } catch (ArithmeticException | DateTimeException e) {
            // Out of range, as below.
        }
        throw Errors.outOfRange("Adding %d %s to timestamp %s causes overflow".formatted(amount, unit, time));
    }
}
