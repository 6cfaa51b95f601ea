package dev.spream.search.meilisearch;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Quotes values for the server's filters, which have no escape for a backslash: before a quote of the enclosing kind it
 * escapes the quote and is removed from the value; elsewhere it is a plain backslash. So a value is enclosed in the
 * kind of quotes with which it is read unchanged.
 */
final class FilterText {
    private FilterText() {}

    /** Returns the quoted value; empty if it cannot be expressed. */
    static Optional<String> quoted(String value) {
        return Stream.of("\"", "'")
                .filter(quote -> isReadAs(value, quote))
                .map(quote -> quote + escaped(value, quote) + quote)
                .findFirst();
    }

    private static String escaped(String value, String quote) {
        return value.replace(quote, "\\" + quote);
    }

    private static boolean isReadAs(String value, String quote) {
        String text = escaped(value, quote);
        int i = 0;
        while (i < text.length() && text.charAt(i) != quote.charAt(0)) {
            i += text.charAt(i) == '\\' ? 2 : 1;
        }
        return i == text.length() && text.replace("\\" + quote, quote).equals(value);
    }
}
