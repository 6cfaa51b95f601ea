package dev.spream.api.filter;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A pattern of table names.
 *
 * @param text a name, in which a star matches any number of characters
 * @param regex the same as a regular expression for the whole name
 */
record TablePattern(String text, Pattern regex) {
    private static final Pattern NAME = Pattern.compile("[^\\s.,*'\"`]+(\\.[^\\s.,*'\"`]+)*");

    /** Parses a name or a pattern; empty if no table name can match it. */
    static Optional<TablePattern> parse(String text) {
        if (!isName(text.replace('*', 'x'))) {
            return Optional.empty();
        }
        String regex = Arrays.stream(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*"));
        return Optional.of(new TablePattern(text, Pattern.compile(regex)));
    }

    /** Returns whether the text is a name, or several separated by dots. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    boolean matches(String table) {
        return regex.matcher(table).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
