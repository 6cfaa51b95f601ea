package dev.spream.emulator.internal.function;

import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Floats;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.h2.value.Value;
import org.jspecify.annotations.Nullable;

/** The functions of numbers of {@code internal.sql.FunctionCatalog} and of operators. Null if an argument is. */
public final class NumberFunctions {
    /** The statements that make the functions known to the engine. */
    static final List<String> DEFINITIONS = Stream.of(
                    "ADD add",
                    "ANY_NAN anyNan",
                    "CEIL ceil",
                    "DIV div",
                    "DIVIDE divide",
                    "FINITE finite",
                    "FLOOR floor",
                    "IEEE_DIVIDE ieeeDivide",
                    "IS_INF isInf",
                    "IS_NAN isNan",
                    "MOD mod",
                    "MULTIPLY multiply",
                    "ORDER order",
                    "QUOTIENT quotient",
                    "ROUND round",
                    "SHIFT_LEFT shiftLeft",
                    "SHIFT_RIGHT shiftRight",
                    "SIGN sign",
                    "SUBTRACT subtract",
                    "TRUNC trunc")
            .map(names -> names.split(" "))
            .map(names -> EngineFunctions.definition(NumberFunctions.class, names[0], "DETERMINISTIC ", names[1]))
            .toList();

    /** PostgreSQL's least number of a quotient's significant digits, in groups of four. */
    private static final int MIN_DIGITS = 16;

    private static final int GROUP_DIGITS = 4;
    private static final int MAX_SCALE = 1000;

    private NumberFunctions() {}

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

    public static @Nullable Long mod(@Nullable Long dividend, @Nullable Long divisor) {
        if (dividend == null || divisor == null) {
            return null;
        }
        if (divisor == 0) {
            throw Errors.outOfRange("division by zero: MOD(" + dividend + ", 0)");
        }
        return divisor == -1 ? Long.valueOf(0) : Long.valueOf(dividend % divisor);
    }

    public static @Nullable Double add(@Nullable Double left, @Nullable Double right) {
        return left == null || right == null ? null : calculated(left, "+", right, left + right);
    }

    public static @Nullable Double subtract(@Nullable Double left, @Nullable Double right) {
        return left == null || right == null ? null : calculated(left, "-", right, left - right);
    }

    public static @Nullable Double multiply(@Nullable Double left, @Nullable Double right) {
        return left == null || right == null ? null : calculated(left, "*", right, left * right);
    }

    /** Returns the quotient of whole or floating-point numbers. */
    public static @Nullable Double divide(Value dividend, Value divisor) {
        ScalarFunctions.accepts("/", "INT64 FLOAT64 DECFLOAT", dividend, divisor);
        if (dividend.getValueType() == Value.NULL || divisor.getValueType() == Value.NULL) {
            return null;
        }
        double left = dividend.getDouble();
        double right = divisor.getDouble();
        if (right == 0) {
            throw Errors.outOfRange("division by zero: %s / %s".formatted(Floats.cast(left), Floats.cast(right)));
        }
        return calculated(left, "/", right, left / right);
    }

    private static Double calculated(double left, String operator, double right, double result) {
        if (!Double.isFinite(result) && Double.isFinite(left) && Double.isFinite(right)) {
            throw Errors.outOfRange(
                    "double overflow: %s %s %s".formatted(Floats.cast(left), operator, Floats.cast(right)));
        }
        return result;
    }

    public static @Nullable Double ceil(@Nullable Double number) {
        return number == null ? null : Double.valueOf(Math.ceil(number));
    }

    public static @Nullable Double floor(@Nullable Double number) {
        return number == null ? null : Double.valueOf(Math.floor(number));
    }

    public static @Nullable Double sign(@Nullable Double number) {
        return number == null ? null : Double.valueOf(Math.signum(number));
    }

    public static @Nullable Double trunc(@Nullable Double number) {
        return number == null ? null : Double.valueOf(number < 0 ? Math.ceil(number) : Math.floor(number));
    }

    /** Rounds halves away from zero. */
    public static @Nullable Double round(@Nullable Double number) {
        return round(number, 0L);
    }

    public static @Nullable Double round(@Nullable Double number, @Nullable Long digits) {
        return number == null || digits == null ? null : Double.valueOf(cut(number, digits, RoundingMode.HALF_UP));
    }

    public static @Nullable Double trunc(@Nullable Double number, @Nullable Long digits) {
        return number == null || digits == null ? null : Double.valueOf(cut(number, digits, RoundingMode.DOWN));
    }

    private static double cut(double number, long digits, RoundingMode rounding) {
        boolean unchanged = !Double.isFinite(number) || digits > MAX_SCALE;
        return unchanged
                ? number
                : new BigDecimal(number)
                        .setScale((int) Math.max(digits, -MAX_SCALE), rounding)
                        .doubleValue();
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

    /** Returns whether one of the values is no number. */
    public static boolean anyNan(Value... values) {
        return Arrays.stream(values)
                .anyMatch(value -> ScalarFunctions.type(value).equals("FLOAT64") && Double.isNaN(value.getDouble()));
    }

    /** Returns a key that orders numbers, NaN before all others. */
    public static @Nullable Long order(@Nullable Double number) {
        if (number == null) {
            return null;
        }
        long bits = Double.doubleToLongBits(number);
        return number.isNaN() ? Long.MIN_VALUE : bits ^ ((bits >> (Long.SIZE - 1)) & Long.MAX_VALUE);
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
}
