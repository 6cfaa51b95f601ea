package dev.spream.emulator.internal.sql;

import java.math.BigDecimal;
import java.math.MathContext;

/** The texts of floating-point numbers in Spanner. */
public final class Floats {
    /** The least decimal exponent of a number that is written without one. */
    private static final int SMALLEST = -4;

    /** The digits that are tried for a FLOAT64 and a FLOAT32, before those that are always enough. */
    private static final int FEW_DIGITS = 15;

    private static final int FEW_DIGITS_OF_FLOAT = 6;

    private static final int ENOUGH_DIGITS = 17;
    private static final int ENOUGH_DIGITS_OF_FLOAT = 9;

    private Floats() {}

    /** Returns the text of a number in JSON, with a decimal point or an exponent. */
    public static String json(double number) {
        String text = text(number, new BigDecimal(Double.toString(number)), FEW_DIGITS);
        return text.contains(".") || text.contains("e") ? text : text + ".0";
    }

    /** Returns the text of a number that is cast to a string. */
    public static String cast(double number) {
        if (!Double.isFinite(number)) {
            return Double.isNaN(number) ? "nan" : number < 0 ? "-inf" : "inf";
        }
        BigDecimal few = new BigDecimal(number).round(new MathContext(FEW_DIGITS));
        boolean exact = few.doubleValue() == number;
        int digits = exact ? FEW_DIGITS : ENOUGH_DIGITS;
        return text(number, new BigDecimal(number).round(new MathContext(digits)), digits);
    }

    /** Returns the text of a FLOAT32 that is cast to a string. */
    public static String cast(float number) {
        if (!Float.isFinite(number)) {
            return cast((double) number);
        }
        BigDecimal few = new BigDecimal(number).round(new MathContext(FEW_DIGITS_OF_FLOAT));
        boolean exact = few.floatValue() == number;
        int digits = exact ? FEW_DIGITS_OF_FLOAT : ENOUGH_DIGITS_OF_FLOAT;
        return text(number, new BigDecimal(number).round(new MathContext(digits)), digits);
    }

    /** Returns the text of a number of at most so many digits. */
    private static String text(double number, BigDecimal rounded, int most) {
        BigDecimal decimal = rounded.stripTrailingZeros();
        String sign = Math.copySign(1, number) < 0 ? "-" : "";
        int exponent = decimal.precision() - decimal.scale() - 1;
        if (decimal.signum() == 0) {
            return sign + "0";
        }
        if (exponent >= SMALLEST && exponent < most) {
            return sign + decimal.abs().toPlainString();
        }
        String digits = decimal.unscaledValue().abs().toString();
        String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
        return "%s%s%se%s%02d"
                .formatted(sign, digits.charAt(0), fraction, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}
