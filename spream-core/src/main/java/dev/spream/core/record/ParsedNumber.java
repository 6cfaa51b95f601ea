package dev.spream.core.record;

import java.math.BigDecimal;

/**
 * A number whose text is kept: {@code -0.0} has a sign that a {@link BigDecimal} drops, and {@code 1e22} would be written
 * in another way. Equal to any {@link BigDecimal} of the same value and scale.
 */
final class ParsedNumber extends BigDecimal {
    private static final long serialVersionUID = 1L;

    private final String text;

    private ParsedNumber(String text) {
        super(text);
        this.text = text;
    }

    static BigDecimal of(String text) {
        BigDecimal number = new BigDecimal(text);
        return number.toString().equals(text) ? number : new ParsedNumber(text);
    }

    /** Returns the number as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
