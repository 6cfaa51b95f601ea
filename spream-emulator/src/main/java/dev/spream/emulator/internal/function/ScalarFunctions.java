package dev.spream.emulator.internal.function;

import dev.spream.emulator.internal.sql.Errors;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;

/** The Java side of the calls of {@code internal.sql.FunctionCatalog}. A function is null if an argument is. */
public final class ScalarFunctions {
    /** The statements that make the functions known to the engine. */
    static final List<String> DEFINITIONS = Stream.of(
                    "ACCEPTS accepts",
                    "COUNT count",
                    "DATE_ADD dateAdd",
                    "DIV div",
                    "FINITE finite",
                    "IEEE_DIVIDE ieeeDivide",
                    "IS_INF isInf",
                    "IS_NAN isNan",
                    "LEFT left",
                    "LENGTH length",
                    "LPAD lpad",
                    "LTRIM ltrim",
                    "QUOTIENT quotient",
                    "REVERSE reverse",
                    "RPAD rpad",
                    "RTRIM rtrim",
                    "SHIFT_LEFT shiftLeft",
                    "SHIFT_RIGHT shiftRight",
                    "START start",
                    "TIMESTAMP_ADD timestampAdd")
            .map(names -> names.split(" "))
            .map(names -> EngineFunctions.definition(ScalarFunctions.class, names[0], "DETERMINISTIC ", names[1]))
            .toList();

    /** The seconds of Spanner's first and last timestamp, in 0001 and 9999. */
    private static final long FIRST_SECOND = -62_135_596_800L;

    private static final long LAST_SECOND = 253_402_300_799L;

    /** PostgreSQL's least number of a quotient's significant digits, in groups of four. */
    private static final int MIN_DIGITS = 16;

    private static final int GROUP_DIGITS = 4;
    private static final int MAX_SCALE = 1000;

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

    private static String type(Value value) {
        return switch (value.getValueType()) {
            case Value.BOOLEAN -> "BOOL";
            case Value.TINYINT, Value.SMALLINT, Value.INTEGER, Value.BIGINT -> "INT64";
            case Value.REAL, Value.DOUBLE -> "FLOAT64";
            case Value.CHAR, Value.VARCHAR, Value.CLOB -> "STRING";
            case Value.BINARY, Value.VARBINARY, Value.BLOB -> "BYTES";
            default -> Value.getTypeName(value.getValueType());
        };
    }

    /** Returns the result of a function, which must be finite if all arguments are. */
    public static @Nullable Double finite(String function, @Nullable Double result, Value... arguments) {
        boolean overflow = result != null
                && !Double.isFinite(result)
                && Arrays.stream(arguments).allMatch(argument -> Double.isFinite(argument.getDouble()));
        if (overflow) {
            throw Errors.outOfRange("Floating point error in function: " + function);
        }
        return result;
    }

    public static @Nullable Long div(@Nullable Long dividend, @Nullable Long divisor) {
        if (dividend == null || divisor == null) {
            return null;
        }
        if (divisor == 0 || (dividend == Long.MIN_VALUE && divisor == -1)) {
            throw Errors.outOfRange((divisor == 0 ? "division by zero: " : "int64 overflow: ") + "DIV");
        }
        return dividend / divisor;
    }

    public static @Nullable Double ieeeDivide(@Nullable Double dividend, @Nullable Double divisor) {
        return dividend == null || divisor == null ? null : Double.valueOf(dividend / divisor);
    }

    public static @Nullable Boolean isInf(@Nullable Double number) {
        return number == null ? null : Boolean.valueOf(number.isInfinite());
    }

    public static @Nullable Boolean isNan(@Nullable Double number) {
        return number == null ? null : Boolean.valueOf(number.isNaN());
    }

    /** Returns the second argument of {@code REPEAT}. */
    public static @Nullable Long count(@Nullable Long count) {
        if (count != null && count < 0) {
            throw Errors.outOfRange("Second argument (repeat count) for REPEAT cannot be negative");
        }
        return count;
    }

    /** Returns the second argument of {@code SUBSTR}: a position from the end is at most the first. */
    public static @Nullable Long start(@Nullable Long position, @Nullable Long length) {
        if (position == null || length == null) {
            return null;
        }
        return position < -length ? Long.valueOf(1) : Long.valueOf(Math.min(position, length + 1));
    }

    /** Returns the third argument of {@code SUBSTR}. */
    public static @Nullable Long length(@Nullable Long length) {
        if (length != null && length < 0) {
            throw Errors.outOfRange("Third argument in SUBSTR() cannot be negative");
        }
        return length == null ? null : Long.valueOf(Math.min(length, Integer.MAX_VALUE));
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

    /**
     * Returns a quotient with PostgreSQL's number of digits.
     *
     * @see <a href="https://github.com/postgres/postgres/blob/REL_17_STABLE/src/backend/utils/adt/numeric.c">numeric.c,
     *     select_div_scale</a>
     */
    public static @Nullable BigDecimal quotient(@Nullable BigDecimal dividend, @Nullable BigDecimal divisor) {
        if (dividend == null || divisor == null) {
            return null;
        }
        if (divisor.signum() == 0) {
            throw Errors.outOfRange("division by zero");
        }
        boolean shorter = firstGroup(dividend) <= firstGroup(divisor);
        int weight = weight(dividend) - weight(divisor) - (shorter ? 1 : 0);
        int scale =
                Math.max(MIN_DIGITS - weight * GROUP_DIGITS, Math.max(0, Math.max(dividend.scale(), divisor.scale())));
        return dividend.divide(divisor, Math.min(scale, MAX_SCALE), RoundingMode.HALF_UP);
    }

    /** Returns the exponent of the first group of decimal digits. */
    private static int weight(BigDecimal number) {
        return number.signum() == 0 ? 0 : Math.floorDiv(number.precision() - number.scale() - 1, GROUP_DIGITS);
    }

    private static int firstGroup(BigDecimal number) {
        return number.abs().scaleByPowerOfTen(-GROUP_DIGITS * weight(number)).intValue();
    }

    public static @Nullable Long shiftLeft(@Nullable Long bits, @Nullable Long by) {
        return bits == null || by == null ? null : isWithin(by) ? bits << by : 0L;
    }

    /** Shifts without regard to the sign. */
    public static @Nullable Long shiftRight(@Nullable Long bits, @Nullable Long by) {
        return bits == null || by == null ? null : isWithin(by) ? bits >>> by : 0L;
    }

    private static boolean isWithin(long shift) {
        if (shift < 0) {
            throw Errors.outOfRange("Bitwise shift by negative offset.");
        }
        return shift < Long.SIZE;
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
