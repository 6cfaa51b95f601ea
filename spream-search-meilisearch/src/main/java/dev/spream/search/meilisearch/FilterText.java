package dev.spream.search.meilisearch;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Values in the server's filters. It has no way to write a backslash: one keeps the quote behind it from ending the value, and is
 * left out of the value then, and is a backslash elsewhere. So a value is written within quotes of the kind with which it is read
 * as it was meant.
 */
final class FilterText {
    private FilterText() {}

    /** Empty if there is no way to write it. */
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
