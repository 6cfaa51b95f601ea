package dev.spream.emulator.internal.sql;

import java.math.BigDecimal;

/** The texts of floating-point numbers in Spanner, with as few digits as identify the number. */
public final class Floats {
    /** The decimal exponents of numbers that are written without one. */
    private static final int SMALLEST = -4;

    private static final int LARGEST = 14;

    private Floats() {}

    /** Returns the text of a number in JSON, with a decimal point or an exponent. */
    public static String json(double number) {
        String text = text(number);
        return text.contains(".") || text.contains("e") ? text : text + ".0";
    }

    /** Returns the text of a number that is cast to a string. */
    public static String cast(double number) {
        if (Double.isNaN(number)) {
            return "nan";
        }
        return Double.isInfinite(number) ? (number < 0 ? "-inf" : "inf") : text(number);
    }

    private static String text(double number) {
        BigDecimal decimal = new BigDecimal(Double.toString(number)).stripTrailingZeros();
        String sign = Math.copySign(1, number) < 0 ? "-" : "";
        int exponent = decimal.precision() - decimal.scale() - 1;
        if (decimal.signum() == 0) {
            return sign + "0";
        }
        if (exponent >= SMALLEST && exponent <= LARGEST) {
            return sign + decimal.abs().toPlainString();
        }
        String digits = decimal.unscaledValue().abs().toString();
        String fraction = digits.length() == 1 ? "" : "." + digits.substring(1);
        return "%s%s%se%s%02d"
                .formatted(sign, digits.charAt(0), fraction, exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
}
