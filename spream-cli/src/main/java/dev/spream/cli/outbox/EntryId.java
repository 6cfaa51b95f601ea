package dev.spream.cli.outbox;

import dev.spream.cli.output.PlainText;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * An entry id as typed. Its range is checked by {@link #value}, since picocli treats an argument that cannot be
 * converted as an unknown one.
 *
 * @param digits one or more
 */
record EntryId(String digits) {
    private static final Pattern DIGITS = Pattern.compile("[0-9]+");
    private static final String RANGE = "1 to " + Long.MAX_VALUE;

    /** @throws TypeConversionException if the text contains anything but digits */
    static EntryId parse(String text) {
        if (!DIGITS.matcher(text).matches()) {
            throw isNone(text, RANGE);
        }
        return new EntryId(text);
    }

    /**
     * Returns the id.
     *
     * @throws TypeConversionException if it is out of range
     */
    long value() {
        try {
            long value = Long.parseLong(digits);
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw isNone(digits, RANGE);
        }
        throw isNone(digits, RANGE);
    }

    private static TypeConversionException isNone(String text, String range) {
        return new TypeConversionException("'%s' is not an id: %s".formatted(PlainText.of(text), range));
    }

    /** Converts text of digits. */
    static final class Digits implements ITypeConverter<EntryId> {
        @Override
        public EntryId convert(String text) {
            return parse(text);
        }
    }

    /** Converts an id, or 0 for the position before all entries. */
    static final class OrZero implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                return text.equals("0") ? 0 : parse(text).value();
            } catch (TypeConversionException e) {
                throw isNone(text, RANGE + ", or 0 for the beginning");
            }
        }
    }
}
